"""The page of recall."""
