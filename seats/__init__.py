"""What one running agent of a project is given, and how it speaks to us."""
