"""What the files say: their words, read by a process that may break, and the search in them."""
