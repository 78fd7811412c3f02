"""One row in every Space's database that says whose it is."""
