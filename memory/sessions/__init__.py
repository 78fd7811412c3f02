"""L0: sessions and their lines, as they were said."""
