"""The version of Kndl."""

VERSION = "0.1.0"
