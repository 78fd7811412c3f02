"""DESCRIBE PRIMER: who the memory is, and a map of what it knows, short enough to be read first."""

import json
from collections import defaultdict

from memory.kip.answering import concept_json, concept_rows
from memory.kip.graph import Graph
from memory.kip.language.tree import Json
from memory.kip.models import KipSettings
from memory.kip.querying.compiling import Compiling
from memory.layers.elements import run_sql

_MOST_MEMBERS = 20_000
MOST_DOMAINS, MOST_TYPES, MOST_INSTANCES, MOST_PREDICATES = 100, 5, 5, 8
SEARCH_MODES = ("keyword", "semantic", "hybrid")


def primer(graph: Graph) -> Json:
    """`{identity, domain_map, total_domains}`; the largest domains first, with their commonest types and predicates."""
    compiling = Compiling(graph)
    domains = _domains(compiling)
    total = _count(compiling)
    types, predicates = _types(compiling, list(domains)), _predicates(compiling, list(domains))
    return {
        "identity": _identity(graph, compiling),
        "domain_map": [
            {
                "domain_name": name,
                "description": description,
                "key_concept_types": types[number],
                "key_proposition_types": predicates[number],
            }
            for number, (name, description) in domains.items()
        ],
        "total_domains": total,
    }


def _identity(graph: Graph, compiling: Compiling) -> Json:
    conditions = " and ".join(compiling.node_conditions("n"))
    rows = run_sql(
        f"{compiling.beginning}select n.id from node n where {conditions} and n.type = 'Person' and n.name = '$self'",
        compiling.values,
    )
    found = [concept_json(row) for row in concept_rows(graph, [row[0] for row in rows])]
    settings = KipSettings.objects.first() or KipSettings()
    summary = {"id": found[0]["id"], "type": "Person", "name": "$self"} | found[0]["attributes"] if found else {}
    return summary | {
        "search_modes": list(SEARCH_MODES),
        "schema_enforcement": str(settings.schema_enforcement),
    }


def _domains(compiling: Compiling) -> dict[int, tuple[str, str | None]]:
    conditions = " and ".join(compiling.node_conditions("n"))
    rows = run_sql(
        f"{compiling.beginning}select n.id, n.name, (n.attributes -> 'description')::text from node n"
        " left join lateral (select count(*) members from link l where l.object = n.id"
        f"  and l.predicate = 'belongs_to_domain') m on true where {conditions} and n.type = 'Domain'"
        f" order by m.members desc, n.id limit {MOST_DOMAINS}",
        compiling.values,
    )
    return {number: (name, json.loads(told) if told else None) for number, name, told in rows}


def _count(compiling: Compiling) -> int:
    conditions = " and ".join(compiling.node_conditions("n"))
    rows = run_sql(
        f"{compiling.beginning}select count(*) from node n where {conditions} and n.type = 'Domain'", compiling.values
    )
    return int(rows[0][0])


def _types(compiling: Compiling, domains: list[int]) -> dict[int, list[Json]]:
    """For each domain its commonest types with some of their members, the strongest first."""
    conditions = " and ".join([*compiling.node_conditions("n"), *compiling.link_conditions("l")])
    rows = run_sql(
        f"{compiling.beginning}select e.domain, e.type, array_agg(e.name order by e.place), min(e.members),"
        " (select (d.attributes -> 'description')::text from node d where d.scope = %(g_scope)s"
        "  and d.type = '$ConceptType' and d.name = e.type)"
        " from (select l.object domain, n.type, n.name,"
        "  count(*) over (partition by l.object, n.type) members,"
        "  row_number() over (partition by l.object, n.type order by s.score desc nulls last, n.id) place"
        "  from link l join node n on n.id = l.subject left join node_strength s on s.node = n.id"
        "  where l.predicate = 'belongs_to_domain' and l.object = any(%(domains)s::bigint[])"
        f"  and {conditions}) e where e.place <= {MOST_INSTANCES} group by e.domain, e.type"
        " order by e.domain, min(e.members) desc, e.type",
        compiling.values | {"domains": domains},
    )
    found: dict[int, list[Json]] = defaultdict(list)
    for domain, type, names, _, told in rows:
        if len(found[domain]) < MOST_TYPES:
            found[domain].append({"type_name": type, "description": _told(told), "key_instances": names})
    return found


def _predicates(compiling: Compiling, domains: list[int]) -> dict[int, list[Json]]:
    """For each domain the predicates that its members have most."""
    conditions = " and ".join([*compiling.link_conditions("b"), *compiling.link_conditions("l")])
    rows = run_sql(
        f"{compiling.beginning}select b.object, l.predicate, count(*), (select (d.attributes -> 'description')::text"
        "  from node d where d.scope = %(g_scope)s and d.type = '$PropositionType' and d.name = l.predicate)"
        " from (select b.* from link b where b.predicate = 'belongs_to_domain' and b.scope = %(g_scope)s"
        f"  and b.object = any(%(domains)s::bigint[]) limit {_MOST_MEMBERS}) b join link l on l.subject = b.subject"
        f" where {conditions} group by 1, 2 order by 1, 3 desc, 2",
        compiling.values | {"domains": domains},
    )
    found: dict[int, list[Json]] = defaultdict(list)
    for domain, name, _, told in rows:
        if len(found[domain]) < MOST_PREDICATES:
            found[domain].append({"predicate_name": name, "description": _told(told)})
    return found


def _told(text: str | None) -> Json:
    return json.loads(text) if text else None
