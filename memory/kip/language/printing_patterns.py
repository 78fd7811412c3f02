"""Patterns and conditions as text."""

from memory.kip.language import tree
from memory.kip.language.printing_values import indented, json_text, string


def where(clauses: tuple[tree.Clause, ...]) -> str:
    """Return WHERE with its clauses, one on a line."""
    return f"WHERE {_braced(clauses)}"


def path(value: tree.Path) -> str:
    """Return `?x.field`."""
    return ".".join([f"?{value.variable.name}", *value.fields])


def expression(value: tree.Expression) -> str:
    """Return what FIND and ORDER BY name."""
    if isinstance(value, tree.Path):
        return path(value)
    return f"{value.function}({'DISTINCT ' if value.is_distinct else ''}{path(value.path)})"


def pattern_key(value: tree.Term | tree.Target) -> str:
    """Return what stands at an end of a link, or names what a block writes."""
    match value:
        case tree.Variable():
            return f"?{value.name}"
        case tree.LinkId():
            return f"(id: {string(value.id)})"
        case tree.LinkMatch():
            return f"({pattern_key(value.subject)}, {_predicate(value.predicate)}, {pattern_key(value.object)})"
        case tree.LinkKey():
            return f"({pattern_key(value.subject)}, {string(value.predicate)}, {pattern_key(value.object)})"
        case _:
            return _concept(value)


def _concept(value: tree.ConceptMatch | tree.ConceptKey) -> str:
    said = {"id": value.id, "type": value.type, "name": value.name}
    return "{" + ", ".join(f"{key}: {string(one)}" for key, one in said.items() if one is not None) + "}"


def _predicate(value: tree.Predicates | tree.Variable) -> str:
    if isinstance(value, tree.Variable):
        return f"?{value.name}"
    return " | ".join(string(name) + _hops(hops) for name, hops in value.names)


def _hops(hops: tree.Hops | None) -> str:
    if hops is None:
        return ""
    if hops.least == hops.most:
        return f"{{{hops.least}}}"
    return f"{{{hops.least},{'' if hops.most is None else hops.most}}}"


def _braced(clauses: tuple[tree.Clause, ...]) -> str:
    return "{\n" + "\n".join(indented(_clause(clause)) for clause in clauses) + "\n}"


def _clause(clause: tree.Clause) -> str:
    match clause:
        case tree.ConceptClause():
            return f"?{clause.variable.name} {pattern_key(clause.match)}"
        case tree.LinkClause():
            return ("" if clause.variable is None else f"?{clause.variable.name} ") + pattern_key(clause.match)
        case tree.Filter():
            return f"FILTER({_condition(clause.condition)})"
        case tree.Block():
            return f"{clause.kind} {_braced(clause.clauses)}"


def _condition(condition: tree.Condition) -> str:
    match condition:
        case tree.Or():
            return " || ".join(map(_part_of_or, condition.conditions))
        case tree.And():
            return " && ".join(map(_part_of_and, condition.conditions))
        case tree.Not():
            return f"!{_part_of_not(condition.condition)}"
        case tree.Comparison():
            return f"{_operand(condition.left)} {condition.operator} {_operand(condition.right)}"
        case tree.TextTest():
            return f"{condition.function}({_operand(condition.left)}, {_operand(condition.right)})"
        case tree.Membership():
            return f"IN({_operand(condition.operand)}, [{', '.join(map(json_text, condition.values))}])"
        case tree.NullTest():
            return f"{'IS_NULL' if condition.is_null else 'IS_NOT_NULL'}({path(condition.path)})"


def _part_of_or(condition: tree.Condition) -> str:
    return _bracketed(condition) if isinstance(condition, tree.Or) else _condition(condition)


def _part_of_and(condition: tree.Condition) -> str:
    return _bracketed(condition) if isinstance(condition, tree.Or | tree.And) else _condition(condition)


def _part_of_not(condition: tree.Condition) -> str:
    is_bare = isinstance(condition, tree.TextTest | tree.Membership | tree.NullTest)
    return _condition(condition) if is_bare else _bracketed(condition)


def _bracketed(condition: tree.Condition) -> str:
    return f"({_condition(condition)})"


def _operand(operand: tree.Operand) -> str:
    return path(operand) if isinstance(operand, tree.Path) else json_text(operand.value)
