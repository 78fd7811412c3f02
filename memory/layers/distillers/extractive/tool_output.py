"""What a tool's output says that is worth remembering: how it failed."""

import re

from memory.layers.distillers.extractive.words import shortened

_KEPT = 3
_WIDEST = 300
_LONGEST_READ = 2_000
_ERROR = re.compile(
    r"""
      \A\s{0,40}(?:E\s{1,8}(?=\S)|[\w.$]{0,120}(?:Error|Exception|Failure|Panic|Interrupt)(?:\b:|\s{0,3}\Z))
    | \A\s{0,40}(?:fatal|panic|error|err|npm\ ERR!|bash|zsh|sh|Exception\ in\ thread|Caused\ by|Segmentation\ fault)
      (?::|!|\[|\ (?=[A-Z"'`]))
    | \bFAILED\b | \bERROR\b | :\ (?:fatal\ )?error(?::|\ [A-Z]) | \bnpm\ ERR! | \bERR!
    | \b[1-9][0-9]{0,6}\ (?:failed|failures?|errors?)\b
    | \b(?:command\ not\ found|No\ such\ file\ or\ directory|[Pp]ermission\ denied|[Cc]onnection\ refused)
    | \b[Ee]xit(?:ed)?\ (?:with\ )?(?:code|status)\ [1-9] | \bpanicked\ at\b | \btimed\ out\b
    """,
    re.VERBOSE,
)


def error_lines(output: str) -> str:
    """Return the last three lines that tell of an error, one a line and at most 300 characters each, or nothing."""
    found: list[str] = []
    for row in reversed(output.split("\n")):
        if row.strip() and _ERROR.search(row[:_LONGEST_READ]):
            found.append(shortened(row, _WIDEST))
            if len(found) == _KEPT:
                break
    return "\n".join(reversed(found))
