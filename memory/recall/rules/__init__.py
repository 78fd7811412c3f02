"""The rules of recall: pure Python."""
