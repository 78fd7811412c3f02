"""Speed as numbers, each beside its rival. `python -m bench facts`, or `make bench ARGS=facts`."""
