"""The layout of a memory folder: where a fact's file lies and what it is called."""

import re
from typing import Any

from common.errors import Invalid
from memory.facts.rules.identifiers import file_name

CONTEXT_PATH = "./context/v1.jsonld"
SUFFIX = ".fact.json"
_FILE = re.compile(r"(?:facts/)?[^/\\\x00-\x1f\x7f]{1,240}\.fact\.json")


def check_file(name: Any) -> str:
    """The relative name of an imported file: in the folder itself or in `facts/`. Raises Invalid."""
    if not isinstance(name, str) or not _FILE.fullmatch(name) or name.removeprefix("facts/").startswith("."):
        raise Invalid("must be NAME.fact.json or facts/NAME.fact.json", field="kndl:file")
    return name


def file_of(fact_id: str, file: str | None) -> str:
    """Where a fact is exported to: the name it came with, else one made of its id."""
    return file or f"facts/{file_name(fact_id)}"
