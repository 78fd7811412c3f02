"""Masking of secrets: pure rules, one family a file."""

from memory.sessions.masking.masking import Masked, mask, mask_followup

__all__ = ["Masked", "mask", "mask_followup"]
