"""The rules of the layers: pure Python."""
