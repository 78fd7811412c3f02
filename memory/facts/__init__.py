"""KNDL facts: statements with confidence, decay, validity and provenance, which never change."""
