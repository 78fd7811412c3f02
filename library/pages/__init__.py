"""The pages of the Library."""
