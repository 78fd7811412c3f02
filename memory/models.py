"""The models of the room, which Django looks for here; each topic keeps its own."""

from memory.facts.models import Consent, Fact, FactParent

__all__ = ["Consent", "Fact", "FactParent"]
