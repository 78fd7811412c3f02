"""The wire of KIP: requests, batches, logs, and the routes."""

from memory.kip.wire.executing import execute

__all__ = ["execute"]
