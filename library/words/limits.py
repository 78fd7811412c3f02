"""How much is read of one file, and the process it is read in."""

import resource
from zipfile import ZipFile

READ, NONE, FAILED = "read", "none", "failed"

MOST_CHARACTERS = 1_000_000
MOST_PAGES = 2_000
MOST_ROWS = 100_000
MOST_CELLS = 1_000_000
SECONDS = 60
MEMORY = 1024**3
MOST_OUTPUT = 8 * 1024**2

# Office files are ZIP archives: what they may unpack to, and by how much one of their parts may grow.
MOST_PARTS = 20_000
MOST_UNPACKED = 512 * 1024**2
MOST_GROWTH = 200
_SMALL = 1024**2


class Refused(Exception):
    """A file that is not read, and why, in words that may be shown."""


def confine() -> None:
    """Let this process take no more than its share, whatever a file makes it do."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check_archive(archive: ZipFile) -> None:
    """Raise Refused for an archive that unpacks to more than a document has. No more than stated is ever unpacked."""
    parts = archive.infolist()
    if len(parts) > MOST_PARTS:
        raise Refused(f"It has more than {MOST_PARTS:,} parts.")
    if sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise Refused(f"It unpacks to more than {MOST_UNPACKED // 1024**2} MB.")
    if any(part.flag_bits & 1 for part in parts):
        raise Refused("It is encrypted.")
    if any(part.file_size > max(_SMALL, MOST_GROWTH * part.compress_size) for part in parts):
        raise Refused(f"A part of it unpacks to more than {MOST_GROWTH} times its size.")
