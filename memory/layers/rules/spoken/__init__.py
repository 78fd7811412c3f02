"""Times as people tell them, in English: "last Friday", "in May", "two weeks ago"."""

from memory.layers.rules.spoken.periods import Period, mentioned_periods
from memory.layers.rules.spoken.reading import spoken_times

__all__ = ["Period", "mentioned_periods", "spoken_times"]
