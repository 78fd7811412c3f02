"""PHI: sealed under keys of its subjects, released by consent and purpose through one gate."""
