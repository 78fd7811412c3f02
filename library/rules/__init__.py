"""The rules of the Library: pure Python."""
