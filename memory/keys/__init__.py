"""Data keys: one for the Space, one for each person whose PHI is held."""
