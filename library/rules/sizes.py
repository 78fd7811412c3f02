"""Sizes as they are written: bytes with their unit, in powers of a thousand."""

_UNITS = ("kB", "MB", "GB", "TB")


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
