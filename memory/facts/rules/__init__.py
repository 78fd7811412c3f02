"""The rules of facts: pure Python, property-tested, without Django."""
