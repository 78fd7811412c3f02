"""Files of the sample: what a bookkeeping team has at hand. All of it is our own."""

from io import BytesIO
from pathlib import Path

from library.reading import current_revision, etag_of, find_file
from library.words.reading import read_waiting
from library.writing import add_many, edit_text
from spaces.access import SYSTEM_CALLER

FOLDER = Path(__file__).parent / "sample_files"
_EDITED = "handbook/closing-day.md"


def fill_sample_library() -> None:
    """Add the files of the sample to a Library that was never written to, and let one of them have been edited."""
    if current_revision():
        return
    files = sorted(path for path in FOLDER.rglob("*") if path.is_file())
    contents = [(path.relative_to(FOLDER).as_posix(), BytesIO(path.read_bytes())) for path in files]
    add_many(SYSTEM_CALLER, contents, "first files")
    text = (FOLDER / _EDITED).read_text("utf-8")
    changed = text.replace("the 3rd working day of the month holds", "the 5th working day of the month holds")
    changed += "\nChanges are agreed in writing, one month ahead.\n"
    edit_text(SYSTEM_CALLER, _EDITED, changed, base=etag_of(find_file(_EDITED)), note="agreed with Harrow Street")
    read_waiting()
