"""A tree as a formatted text; parsed again it is the same tree."""

from collections.abc import Iterable

from memory.kip.language import tree
from memory.kip.language.printing_patterns import expression, path, pattern_key, where
from memory.kip.language.printing_values import indented, json_text, keyed, object_text, string


def print_text(text: tree.Text) -> str:
    """Return the text that the tree stands for, its parameters written out, with a line break at its end."""
    return "\n\n".join(_statement(statement) for statement in text.statements) + "\n"


def _statement(statement: tree.Query | tree.Change | tree.Upsert) -> str:
    match statement:
        case tree.Upsert():
            return _upsert(statement)
        case tree.Find():
            shown = ", ".join(map(expression, statement.expressions))
            return _lines(f"FIND({shown})", where(statement.where), *_find_tail(statement))
        case tree.Export():
            return _lines(f"EXPORT ?{statement.target.name}", where(statement.where), *_paging(statement))
        case tree.Describe():
            named = [] if statement.name is None else [string(statement.name)]
            return " ".join(["DESCRIBE", statement.what, *named, *_paging(statement)])
        case tree.Search():
            return " ".join(_search(statement))
        case _:
            return _change(statement)


def _find_tail(find: tree.Find) -> Iterable[str]:
    if find.order:
        keys = (expression(key.expression) + (" DESC" if key.is_descending else "") for key in find.order)
        yield f"ORDER BY {', '.join(keys)}"
    yield from _paging(find)


def _paging(statement: tree.Find | tree.Describe | tree.Export) -> Iterable[str]:
    if statement.limit is not None:
        yield f"LIMIT {statement.limit}"
    if statement.cursor is not None:
        yield f"CURSOR {string(statement.cursor)}"


def _search(search: tree.Search) -> Iterable[str]:
    yield f"SEARCH {search.what} {string(search.term)}"
    if search.type is not None:
        yield f"WITH TYPE {string(search.type)}"
    if search.mode is not None:
        yield f"MODE {string(search.mode)}"
    if search.threshold is not None:
        yield f"THRESHOLD {json_text(search.threshold)}"
    if search.limit is not None:
        yield f"LIMIT {search.limit}"


def _change(change: tree.Change) -> str:
    clauses = where(change.where)
    match change:
        case tree.Update():
            return _lines(f"UPDATE ?{change.target.name}", *_settings(change), clauses, *_limit(change.limit))
        case tree.Merge():
            return _lines(f"MERGE CONCEPT ?{change.source.name} INTO ?{change.target.name}", clauses)
        case tree.DeleteKeys():
            keys = ", ".join(map(string, change.keys))
            return _lines(f"DELETE {change.part.upper()} {{{keys}}} FROM ?{change.target.name}", clauses)
        case tree.DeleteLinks():
            return _lines(f"DELETE PROPOSITIONS ?{change.target.name}", clauses)
        case tree.DeleteConcepts():
            return _lines(f"DELETE CONCEPT ?{change.target.name} DETACH", clauses)


def _settings(update: tree.Update) -> Iterable[str]:
    for word, values in (("ATTRIBUTES", update.attributes), ("METADATA", update.metadata)):
        if values is not None:
            shown = [keyed(key, _setting(value)) for key, value in values.items()]
            yield f"SET {word} {{\n{indented(_separated(shown))}\n}}"


def _setting(value: tree.Json | tree.Arithmetics) -> str:
    return _arithmetic(value) if isinstance(value, tree.Arithmetics) else json_text(value)


def _arithmetic(value: tree.Arithmetics) -> str:
    return f"{value.function}({', '.join(map(_amount, value.operands))})"


def _amount(operand: int | float | tree.Path | tree.Arithmetics) -> str:
    match operand:
        case tree.Path():
            return path(operand)
        case tree.Arithmetics():
            return _arithmetic(operand)
        case _:
            return json_text(operand)


def _limit(limit: int | None) -> Iterable[str]:
    return [] if limit is None else [f"LIMIT {limit}"]


def _upsert(upsert: tree.Upsert) -> str:
    blocks = "\n".join(indented(_block(block)) for block in upsert.blocks)
    return f"UPSERT {{\n{blocks}\n}}{_with_metadata(upsert.metadata)}"


def _block(block: tree.ConceptBlock | tree.LinkBlock) -> str:
    word = "CONCEPT" if isinstance(block, tree.ConceptBlock) else "PROPOSITION"
    handle = "" if block.variable is None else f" ?{block.variable.name}"
    inner = "\n".join(indented(line) for line in _inner(block))
    return f"{word}{handle} {{\n{inner}\n}}{_with_metadata(block.metadata)}"


def _inner(block: tree.ConceptBlock | tree.LinkBlock) -> Iterable[str]:
    yield pattern_key(block.key)
    if block.version is not None:
        yield f"EXPECT VERSION {block.version}"
    if block.attributes is not None:
        yield f"SET ATTRIBUTES {object_text(block.attributes)}"
    if isinstance(block, tree.ConceptBlock) and block.links is not None:
        yield _links(block.links)


def _links(links: tuple[tree.SetLink, ...]) -> str:
    if not links:
        return "SET PROPOSITIONS {}"
    shown = (f"({string(one.predicate)}, {pattern_key(one.object)}){_with_metadata(one.metadata)}" for one in links)
    return "SET PROPOSITIONS {\n" + "\n".join(map(indented, shown)) + "\n}"


def _with_metadata(metadata: dict[str, tree.Json] | None) -> str:
    return "" if metadata is None else f" WITH METADATA {object_text(metadata)}"


def _lines(*parts: str) -> str:
    return "\n".join(parts)


def _separated(members: Iterable[str]) -> str:
    return ",\n".join(members)
