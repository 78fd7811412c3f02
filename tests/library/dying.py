"""A program that kills itself at each named step of a write to the Library, and says what was found afterwards.

`python -m tests.library.dying <data folder> <person>`: it forks for each step, with no connection open meanwhile.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

OLD, NEW = b"old " * 50_000, b"new " * 60_000

# What is replaced, whether it is done before it dies, and in which kind of write.
STEPS = [
    ("library.storing:Receiving.write", True, "replace"),
    ("library.storing:Receiving.finish", False, "replace"),
    ("library.changing:keep", False, "replace"),
    ("library.changing:keep", True, "replace"),
    ("library.changing:Change.finish", True, "replace"),
    ("audit.recording:append", True, "replace"),
    ("library.writing:bring_up", False, "replace"),
    ("common.folders.writing:_written", True, "replace"),
    ("library.folder:put", True, "replace"),
    ("library.folder:write_note", False, "replace"),
    ("library.folder:remove", False, "move"),
    ("library.folder:remove", True, "move"),
    ("library.folder:remove", True, "delete"),
]


def main() -> None:
    """Try each step; the outcomes are one line of JSON each."""
    import django

    django.setup()
    from django.conf import settings

    settings.KNDL = settings.KNDL.model_copy(update={"data_dir": Path(sys.argv[1])})
    for number, (step, done, kind) in enumerate(STEPS):
        path = f"folder {number}/a.md"
        _in_child(lambda path=path: _write("add", path))  # type: ignore[misc]
        code = _in_child(lambda step=step, done=done, kind=kind, path=path: _dying(step, done, kind, path))  # type: ignore[misc]
        found = {"step": f"{kind}, {'after' if done else 'before'} {step}", "killed": os.WTERMSIG(code)}
        found["left"] = _seen(path)
        _in_child(lambda path=path, found=found: _after(path, found))  # type: ignore[misc]


def _in_child(act: Callable[[], None]) -> int:
    """Run it in a process that has its own connections; how the process ended, as `wait` says it."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = 1
    try:
        act()
        code = 0
    except Exception:  # noqa: BLE001 - the parent goes on, and the test shows what was said
        traceback.print_exc()
    finally:
        os._exit(code)


def _dying(step: str, done: bool, kind: str, path: str) -> None:
    module, _, name = step.partition(":")
    holder: Any = import_module(module)
    *within, name = name.split(".")
    for part in within:
        holder = getattr(holder, part)
    real = getattr(holder, name)

    def dies(*given: Any, **named: Any) -> Any:
        if done:
            real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(holder, name, dies)
    _write(kind, path)


def _write(kind: str, path: str) -> None:
    from accounts.models import User
    from library import writing
    from spaces.access import person_caller

    caller = person_caller(User.objects.get(pk=sys.argv[2]))
    match kind:
        case "add":
            writing.add(caller, path, BytesIO(OLD))
        case "replace":
            writing.add(caller, path, BytesIO(NEW), base="*")
        case "move":
            writing.move(caller, path, path + ".moved", base="*")
        case "delete":
            writing.delete(caller, path, base="*")


def _after(path: str, found: dict[str, Any]) -> None:
    """The tick comes, and then somebody writes again."""
    from library.checking import check_folder
    from library.models import LibraryRevision
    from library.reading import current_revision, live_files, open_blob

    check_folder()
    wanted = {}
    for file in live_files(path):
        with open_blob(file.blob) as opened:
            wanted[file.path] = {OLD: "old", NEW: "new"}.get(opened.read(), "half")
    found["rows"], found["folder"] = wanted, _seen(path)
    _write("add", path + ".next")
    found["gap"] = current_revision() - LibraryRevision.objects.count()
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def _seen(path: str) -> dict[str, str]:
    """What a running agent would see of the file: whole contents by path."""
    folder = Path(sys.argv[1]) / "library/files"
    paths = [folder / path, folder / (path + ".moved")]
    return {
        str(found.relative_to(folder)): {OLD: "old", NEW: "new"}.get(found.read_bytes(), "half")
        for found in paths
        if found.exists()
    }


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kndl_site.settings")
    main()
