"""Distillation without a language model."""

from memory.layers.distillers.extractive.distilling import Extractive

__all__ = ["Extractive"]
