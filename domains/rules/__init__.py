"""The rules of shared domains: pure Python."""
