"""The pages of shared domains."""
