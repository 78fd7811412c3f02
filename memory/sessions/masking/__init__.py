"""Masking of secrets: pure rules, one family a file."""

from memory.sessions.masking.masking import Masked, has_secret, mask, mask_followup

__all__ = ["Masked", "has_secret", "mask", "mask_followup"]
