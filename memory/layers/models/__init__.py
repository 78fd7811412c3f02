"""The tables of the layers, a file a topic."""

from memory.layers.models.distillation import Distillation, DistilledRange, Proposal, Tombstone
from memory.layers.models.graph import Link, Node, NodeFact, NodeSource
from memory.layers.models.index import NodeIndex, Reembedding, ScopeStat, StagedVector, TermFrequency
from memory.layers.models.settings import LayerSettings
from memory.layers.models.strength import DecayPass, NodeStrength, RecallUse, Reinforcement

__all__ = [
    "DecayPass",
    "Distillation",
    "DistilledRange",
    "LayerSettings",
    "Link",
    "Node",
    "NodeFact",
    "NodeIndex",
    "NodeSource",
    "NodeStrength",
    "Proposal",
    "RecallUse",
    "Reembedding",
    "Reinforcement",
    "ScopeStat",
    "StagedVector",
    "TermFrequency",
    "Tombstone",
]
