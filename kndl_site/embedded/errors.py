"""What can go wrong with the embedded server; each message is meant for the person at the terminal."""


class EmbeddedServerError(Exception):
    """The embedded server could not be made, started, reached or stopped."""


class NeverStarted(EmbeddedServerError):
    """The data folder has no passwords yet: its server was never started."""


class AlreadyRunning(EmbeddedServerError):
    """Another process runs Kndl on this folder."""
