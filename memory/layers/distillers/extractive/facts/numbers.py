"""Small whole numbers in digits or words."""

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORDS = {
    **{word: number for number, word in enumerate(_ONES)},
    **_TENS,
    **{f"{ten} {_ONES[one]}": value + one for ten, value in _TENS.items() for one in range(1, 10)},
    "no": 0,
    "a": 1,
    "an": 1,
}


def whole_number(words: str) -> int | None:
    """Return the number that digits or words up to "ninety-nine" say ("no" is 0, "a" is 1), or None."""
    if words.isdecimal():
        return int(words)
    return _WORDS.get(words.lower().replace("-", " "))
