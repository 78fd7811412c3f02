"""Reference files of the company: one folder, one revision, every earlier content kept."""
