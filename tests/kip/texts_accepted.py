"""Texts of the language, by the rule that they show. A text with parameters is a pair."""

from typing import Any

S = '?s {type: "Station"}'
Q = f"FIND(?s) WHERE {{ {S} }}"
NODE = '{type: "Station", name: "Quay"}'


def where(clauses: str) -> str:
    return f"FIND(?s) WHERE {{ {clauses} }}"


def filtered(condition: str) -> str:
    return where(f"{S} FILTER({condition})")


def concept(inner: str = "", after: str = "") -> str:
    return f"UPSERT {{ CONCEPT ?c {{ {NODE} {inner} }} {after} }}"


def attributes(members: str) -> str:
    return concept(f"SET ATTRIBUTES {members}")


def update(members: str) -> str:
    return f"UPDATE ?s SET ATTRIBUTES {members} WHERE {{ {S} }}"


def nested(depth: int) -> str:
    """A text with exactly so many brackets in one another."""
    return attributes(f"{{ a: {'[' * (depth - 3)}{']' * (depth - 3)} }}")


ACCEPTED: dict[str, list[str | tuple[str, dict[str, Any]]]] = {
    "white space and comments": [
        f" \t\r\n{Q}\r\n",
        f"// first\n{Q} // last",
        'FIND(?s)// why\nWHERE {// a\n?s//b\n{type//c\n://d\n"Station"}\n}',
        'FIND( ?s , ?s.name )\nWHERE\n{\n?s{type:"Station"}}',
        attributes('{ // in JSON\n a: [1, // one\n 2] // two\n , "b": "// no comment" }'),
        "DESCRIBE PRIMER// end",
        "UPSERT { CONCEPT { " + NODE + " SET // here\n ATTRIBUTES {} } }",
    ],
    "strings": [
        attributes(r'{ a: "\" \\ \/ \b \f \n \r \t \u00e9 \uD83D\uDE00", b: "", c: "é 😀 ; /* */ `" }'),
        'FIND(?s) WHERE { ?s {name: "?x :y {"} }',
    ],
    "numbers": [
        attributes("{ a: 0, b: -0, c: 12, d: -1.50, e: 1e3, f: 1E-3, g: 2.5e+10, h: 0.1 }"),
        attributes("{ a: 9223372036854775807, b: -9223372036854775808, c: 18446744073709551615 }"),
    ],
    "objects and arrays": [
        attributes("{}"),
        attributes("{ a: 1, }"),
        attributes('{ "a b": 1, c_1: [], _d: {}, "e": [1, [2, {f: null,},],], true: false, LIMIT: 1, type: "x" }'),
        attributes("{a:true,b:false,c:null}"),
    ],
    "FIND": [
        Q,
        'FIND (?s) WHERE { ?s {type: "Station"} }',
        where('?s {type: "A"} ?o {id: "x"}'),
        "FIND(?s, ?s.name, ?s.attributes.a.b.c) " + Q[8:],
        "FIND(COUNT(?s), COUNT(DISTINCT ?s.name), SUM(?s.attributes.a), AVG(?s.a), MIN(?s.a), MAX(?s.a)) " + Q[8:],
        "FIND(COUNT ( ?s )) " + Q[8:],
        Q + " ORDER BY ?s.name",
        Q + ' ORDER BY ?s.name ASC, ?s.id DESC LIMIT 1 CURSOR "abc"',
        Q + " ORDER\nBY ?s.name DESC,?s.id",
        "FIND(?s.name, COUNT(?s)) " + Q[8:] + " ORDER BY COUNT(?s) DESC",
        "FIND(?s.name, COUNT(DISTINCT ?s)) " + Q[8:] + " ORDER BY COUNT(DISTINCT ?s) DESC",
        "FIND(?s.name, COUNT(DISTINCT ?s)) " + Q[8:] + " ORDER BY COUNT(?s)",
        Q + " LIMIT 5",
        Q + ' CURSOR "x"',
        Q + ' LIMIT 5 CURSOR "x"',
    ],
    "concept patterns": [
        where('?s {name: "a"}'),
        where('?s {"type": "A", "name": "a"}'),
        where('?s {name: "a", type: "A"}'),
        where('?s {id: "a"}'),
        where('?s {type: null, name: "a"}'),
        where('?s {id: "a", type: null}'),
        where('?s {type:"A"}'),
    ],
    "link patterns": [
        where('(?s, "p", ?o)'),
        where('?l (?s, "p", ?o)'),
        where('?l (id: "x")'),
        where('(id: "x")'),
        where('(id:"x")'),
        where('?l ("id": "x")'),
        where(f'({NODE}, "p", {{name: "b"}})'),
        where("(?s, ?p, ?o)"),
        where('?l (?s, ?p, (?a, "q", (?b, "r", (id: "x"))))'),
        where('((id: "x"), "p", ?s)'),
        where('(?s, "p", ?s)'),
        where('(?s, "p" | "q" | "r", ?o)'),
        where('(?s, "p"|"q", ?o)'),
        where('(?s,"p",?o)(?o,"q",?s)'),
    ],
    "hops": [
        where('(?s, "p"{2}, ?o)'),
        where('(?s, "p"{0}, ?o)'),
        where('(?s, "p"{1,}, ?o)'),
        where('(?s, "p"{0,10}, ?o)'),
        where('(?s, "p" { 1 , 3 } , ?o)'),
        where('(?s, "p"{3,3}, ?o)'),
        where('(?s, "p"{1,2} | "q", ?o)'),
        where('(?s, "p" | "q"{1,2}, ?o)'),
        (where('(?s, "p"{:m,:n}, ?o)'), {"m": 1, "n": 3}),
    ],
    "blocks": [
        where(f'{S} NOT {{ (?s, "p", ?o) }}'),
        where(f'{S} OPTIONAL {{ (?s, "p", ?o) FILTER(IS_NULL(?o.name)) }}'),
        where(f"UNION {{ {S} }}"),
        where(f'{S} UNION {{ ?t {{type: "B"}} NOT {{ (?t, "p", ?o) OPTIONAL {{ {S} }} }} }} FILTER(1 == 1)'),
    ],
    "conditions": [
        *(filtered(f"?s.a {operator} 1") for operator in ("==", "!=", "<", ">", "<=", ">=")),
        filtered("?s.a==?s.b"),
        filtered("1 == ?s.b"),
        filtered("true != false"),
        filtered("null == null"),
        filtered('?s == "x"'),
        filtered("!?s.a == 1"),
        filtered("!(?s.a == 1) && !!(?s.b < 2)"),
        filtered("?s.a == 1 || ?s.a == 2 && ?s.b == 3 || (?s.c > 4 && (?s.d < 5))"),
        filtered("((?s.a == 1))"),
        filtered('CONTAINS(?s.a, "x") && STARTS_WITH("x", ?s.a) && ENDS_WITH(?s.a, ?s.b) && REGEX(?s.a, "(")'),
        filtered('IN(?s.a, ["x", 1, -2.5, true, null])'),
        filtered("IN(?s.a, [])"),
        filtered('IN("x", ["x"])'),
        filtered("IN (?s.a, [1])"),
        filtered("IS_NULL(?s) && IS_NOT_NULL(?s.a.b) && !IS_NULL(?s.c)"),
        where(f"{S} FILTER (?s.a == 1) FILTER(?s.b == 2)"),
    ],
    "parameters": [
        (where("?s {type: :t, name: :n}"), {"t": "A", "n": "b"}),
        (where("?s {type::t,name::n}"), {"t": "A", "n": None}),
        (where("?s {id: :i}"), {"i": "x"}),
        (where("?l (id: :i)"), {"i": "x"}),
        (where("?l (id::i)"), {"i": "x"}),
        (where("(?s, :p, ?o)"), {"p": "q"}),
        (where('(?s, :p | "r", ?o)'), {"p": "q"}),
        (filtered("?s.a == :v && :v != ?s.b"), {"v": 5}),
        (filtered("?s.a == :v"), {"v": None}),
        (filtered("IN(?s.a, :l)"), {"l": ["x", 1, None]}),
        (filtered("IN(?s.a, [:a, :b])"), {"a": 1, "b": "x"}),
        (filtered("REGEX(?s.a, :r)"), {"r": "^a"}),
        (Q + " LIMIT :n CURSOR :c", {"n": 5, "c": "x"}),
        (attributes("{ a: :a, b: [:a, {c: :c}], d::d }"), {"a": [1, {"x": None}], "c": 1.5, "d": True}),
        (concept("EXPECT VERSION :v"), {"v": 0}),
        ("UPSERT { CONCEPT ?c { {type: :t, name: :n} } }", {"t": "A", "n": "b"}),
        (concept('SET PROPOSITIONS { (:p, {type: "A", name: :n}) }'), {"p": "q", "n": "b"}),
        (update("{ a: ADD(:x, MUL(?s.a, :y)), b: :z }"), {"x": 1, "y": 2.5, "z": {"q": 1}}),
        (
            "SEARCH CONCEPT :t WITH TYPE :y MODE :m THRESHOLD :h LIMIT :n",
            {"t": "a", "y": "B", "m": "hybrid", "h": 0.5, "n": 3},
        ),
        ("DESCRIBE CONCEPT TYPE :t", {"t": "A"}),
        ("DESCRIBE PROPOSITION TYPES LIMIT :n CURSOR :c", {"n": 1, "c": "x"}),
        (f'DELETE ATTRIBUTES {{:a, "b"}} FROM ?s WHERE {{ {S} }}', {"a": "x"}),
        # A colon behind a key is the key's, whatever parameters there are.
        (attributes("{a:true}"), {"true": 5, "a": 6}),
        (attributes("{a:null,b:[true]}"), {"null": 1}),
        (update("{n:ADD(?s.n, 1)}"), {"ADD": 1}),
        (f"// about :x\n{Q}", {"x": 1}),
        (attributes('{ at: "10:30", b: "a :other" }'), {"x": 1}),
        (Q, {"unused": 1}),
        (concept("SET ATTRIBUTES :a", "") + " WITH METADATA :m", {"a": {"b": 1}, "m": {}}),
    ],
    "UPSERT": [
        concept(),
        "UPSERT { CONCEPT { " + NODE + " } }",
        'UPSERT { CONCEPT ?c { {"name": "b", "type": "A"} } }',
        'UPSERT { CONCEPT ?c { {id: "x"} SET ATTRIBUTES { a: 1 } } }',
        concept("SET ATTRIBUTES {} SET PROPOSITIONS {}"),
        concept('SET PROPOSITIONS { ("p", ?c) } SET ATTRIBUTES { a: 1 }'),
        concept("EXPECT VERSION 0 SET ATTRIBUTES { a: 1 }"),
        concept('SET PROPOSITIONS { ("p", ?c) ("q", {id: "x"}), ("r", (id: "y")), }'),
        concept('SET PROPOSITIONS { ("p", (?c, "q", {type: "A", name: "b"})) WITH METADATA { a: 1 } ("r", ?c) }'),
        concept("SET ATTRIBUTES { a: 1 }", "WITH METADATA { b: 2 }"),
        concept() + " WITH METADATA { a: 1, b: {c: [1]}, }",
        'UPSERT { PROPOSITION ?l { (?a, "p", ?b) } }',
        'UPSERT { PROPOSITION { (id: "x") EXPECT VERSION 2 SET ATTRIBUTES { a: 1 } } WITH METADATA {} }',
        f'UPSERT {{ PROPOSITION {{ ({NODE}, "p", ({{id: "x"}}, "q", (id: "y"))) }} CONCEPT {{ {NODE} }} }}',
        concept() + "\n" + concept() + " WITH METADATA { a: 1 } // and\n" + concept(),
    ],
    "UPDATE": [
        update("{ a: 1 }"),
        update('{ a: ADD(?s.attributes.a, 1), "b": [1, {c: 2}], d: null, e: "x", }'),
        update("{ a: CLAMP(COALESCE(?s.metadata.a, 0.5), MUL(-1, 2), 1e2), b: ADD(1, 2) }"),
        update("{ a: ADD (1, 2) }"),
        f"UPDATE ?s SET METADATA {{ a: 1 }} WHERE {{ {S} }} LIMIT 5",
        f"UPDATE ?s SET METADATA {{ a: 1 }} SET ATTRIBUTES {{ b: 1 }} WHERE {{ {S} }}",
        f"UPDATE ?s SET ATTRIBUTES {{ a: 1 }} SET METADATA {{ b: 1 }} WHERE {{ {S} }}",
    ],
    "MERGE and DELETE": [
        f'MERGE CONCEPT ?a INTO ?b WHERE {{ ?a {NODE} ?b {{id: "x"}} }}',
        f'DELETE ATTRIBUTES {{"a"}} FROM ?s WHERE {{ {S} }}',
        f'DELETE METADATA {{ "a" , "b" }} FROM ?s WHERE {{ {S} }}',
        'DELETE PROPOSITIONS ?l WHERE { ?l (?a, "p", ?b) }',
        f"DELETE CONCEPT ?s DETACH WHERE {{ {S} }}",
    ],
    "META": [
        "DESCRIBE PRIMER",
        "DESCRIBE DOMAINS",
        "DESCRIBE CONCEPT TYPES",
        "DESCRIBE CONCEPT TYPES LIMIT 5",
        'DESCRIBE PROPOSITION TYPES LIMIT 5 CURSOR "x"',
        'DESCRIBE PROPOSITION TYPES CURSOR "x"',
        'DESCRIBE CONCEPT TYPE "A"',
        'DESCRIBE PROPOSITION TYPE "p"',
        'SEARCH CONCEPT "x"',
        'SEARCH PROPOSITION "x" LIMIT 1',
        'SEARCH CONCEPT "x" WITH TYPE "A" MODE "keyword" THRESHOLD 0 LIMIT 9',
        'SEARCH CONCEPT "x" LIMIT 9 THRESHOLD 1 MODE "semantic" WITH TYPE "A"',
        'SEARCH CONCEPT "x" MODE "hybrid" THRESHOLD 0.25',
        f"EXPORT ?s WHERE {{ {S} }}",
        f'EXPORT ?s WHERE {{ {S} }} LIMIT 5 CURSOR "x"',
    ],
    "limits": [
        nested(64),
        Q + " //" + "x" * (256 * 1024 - len(Q) - 3),
        filtered("!" * 5000 + "(?s.a == 1)"),
    ],
}
