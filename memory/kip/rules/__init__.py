"""What a write may hold and what it makes of an element. Pure Python."""
