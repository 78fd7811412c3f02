"""Sizes as they are written: bytes with their unit, in powers of a thousand; to the byte where they are set."""

import re

_UNITS = ("kB", "MB", "GB", "TB")
# SI units, and the binary ones of IEC 80000-13.
_BYTES: dict[str, int] = {
    **{unit: 10 ** (3 * power) for power, unit in enumerate(_UNITS, 1)},
    **{unit: 1 << (10 * power) for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)},
}
_LARGEST_FIRST = sorted(_BYTES, key=lambda unit: -_BYTES[unit])
_BY_NAME: dict[str, int] = {"b": 1, "byte": 1, "bytes": 1, **{unit.lower(): size for unit, size in _BYTES.items()}}
# Neither “1,5” nor “1.5”: which of them is a fraction differs from country to country.
_EXACT = re.compile(r"([0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5})\s*([A-Za-z]{1,5})")


def size_words(size: int) -> str:
    """`size` bytes with two figures or more: 0 B, 212 kB, 4.1 MB."""
    if size < 1000:
        return f"{size} B"
    # What would be rounded up to a thousand has the next unit: 999,950 bytes are 1.0 MB.
    value, units = size / 1000, iter(_UNITS)
    unit = next(units)
    while value >= 999.5 and (larger := next(units, None)):
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


def exact_size(size: int) -> str:
    """`size` bytes to the byte, in the largest unit that divides them: 2 GiB, 5 MB, 1,001 bytes."""
    unit = next((unit for unit in _LARGEST_FIRST if size and size % _BYTES[unit] == 0), None)
    return f"{size // _BYTES[unit]:,} {unit}" if unit else f"{size:,} byte{'' if size == 1 else 's'}"


def read_size(text: str) -> int:
    """The bytes of a size as `exact_size` writes it. Raises ValueError for what is no whole number with a unit."""
    found = _EXACT.fullmatch(text.strip())
    factor = _BY_NAME.get(found[2].lower()) if found else None
    if found is None or factor is None:
        raise ValueError("no size")
    return int(found[1].replace(",", "")) * factor
