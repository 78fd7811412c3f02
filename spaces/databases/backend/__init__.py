"""Django's PostgreSQL backend, with connections borrowed from a store and Spaces checked as they are reached."""
