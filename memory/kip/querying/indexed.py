"""What a filter implies that an index of `node` can look up."""

from collections.abc import Iterator

from memory.kip.language.tree import And, Comparison, Condition, Constant, Json, Path
from memory.kip.querying.groups import Group
from memory.kip.querying.kinds import Kind


def indexed(group: Group, condition: Condition) -> Iterator[str]:
    """Conditions that follow from a filter of the group: attributes that equal a value contain it."""
    if isinstance(condition, And):
        for part in condition.conditions:
            yield from indexed(group, part)
    elif isinstance(condition, Comparison) and condition.operator == "==":
        for path, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(path, Path) and isinstance(other, Constant):
                yield from _contains(group, path, other.value)


def _contains(group: Group, path: Path, value: Json) -> Iterator[str]:
    column = group.column(path.variable)
    is_inside = len(path.fields) > 1 and path.fields[0] == "attributes"
    if column.kind is not Kind.CONCEPT or column.node is None or not is_inside:
        return
    if isinstance(value, str | int | float):
        document: Json = value
        for key in reversed(path.fields[1:]):
            document = {key: document}
        yield f"{column.node}.attributes @> {group.compiling.json(document)}"
