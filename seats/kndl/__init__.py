"""The `kndl` command, which is also handed out by the instance itself."""
