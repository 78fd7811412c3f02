"""What a reader may act for. PHI is released by purpose."""

PURPOSES = ("treatment", "care", "billing", "research", "operations", "marketing")
