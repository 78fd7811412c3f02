"""What is remembered. Everything here lives in the databases of the Spaces."""
