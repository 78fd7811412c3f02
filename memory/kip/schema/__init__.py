"""Which types and predicates a graph knows, and what it says of their instances."""
