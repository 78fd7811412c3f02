"""Finding again what was remembered, and saying why it was found."""
