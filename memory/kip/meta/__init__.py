"""DESCRIBE: what a graph is about, and what its types and predicates mean."""
