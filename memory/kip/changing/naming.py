"""What the blocks of an UPSERT name, found in the text alone so that it can be read at once."""

from collections.abc import Iterator, Sequence

from memory.kip.language.tree import ConceptBlock, LinkBlock, LinkKey, SetLink, Target, Variable

Ends = tuple[Target, str, Target]


def keys_of(block: ConceptBlock | LinkBlock) -> Iterator[Target | SetLink]:
    """Everything that a block names or could make."""
    yield from _within(block.key)
    for link in (block.links or ()) if isinstance(block, ConceptBlock) else ():
        yield link
        yield from _within(link.object)


def joined_by(blocks: Sequence[ConceptBlock | LinkBlock]) -> Iterator[Ends]:
    """The links that the blocks name, by their ends; a handle stands for what its block names."""
    handles: dict[str, Target] = {}
    for block in blocks:
        if isinstance(block, ConceptBlock):
            for link in block.links or ():
                yield block.key, link.predicate, _meant(link.object, handles)
        elif isinstance(block.key, LinkKey):
            yield _meant(block.key.subject, handles), block.key.predicate, _meant(block.key.object, handles)
        if block.variable is not None:
            handles[block.variable.name] = block.key


def _within(target: Target) -> Iterator[Target]:
    yield target
    if isinstance(target, LinkKey):
        yield from _within(target.subject)
        yield from _within(target.object)


def _meant(target: Target, handles: dict[str, Target]) -> Target:
    return handles.get(target.name, target) if isinstance(target, Variable) else target
