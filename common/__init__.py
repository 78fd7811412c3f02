"""What every room may use: errors, times, strict JSON and input, cursors, text analysis. No Django models."""
