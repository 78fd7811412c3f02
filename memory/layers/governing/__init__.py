"""What people do with memories: pin, archive, restore, forget, correct, retype. A file for each idea."""
