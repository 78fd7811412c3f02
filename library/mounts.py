"""Where a seat finds the Library."""

from common.mounts import Mount
from library.places import files_folder

TARGET = "/library"


def library_mount(target: str = TARGET) -> Mount:
    """The folder of the current revision, read-only at `target`."""
    return Mount("library", files_folder().absolute(), target, "ro", why="The company’s reference files.")
