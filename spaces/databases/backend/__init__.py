"""Django's PostgreSQL backend, with connections borrowed from one store and Spaces checked as they are reached."""
