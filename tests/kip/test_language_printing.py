"""A tree printed and parsed is the same tree, and a printed text prints as itself."""

from typing import Any

from hypothesis import given, settings

from memory.kip.language.parsing import parse
from memory.kip.language.printing import print_text
from tests.kip.texts_accepted import ACCEPTED
from tests.kip.trees import placeless, texts


# Written out, for 1, 1.0 and true are equal.
def same(one: Any, other: Any) -> bool:
    return repr(placeless(one)) == repr(placeless(other))


@settings(max_examples=60, deadline=None)
@given(texts)
def test_a_tree_printed_and_parsed_is_the_same_tree(text):
    assert same(parse(print_text(text)), text)


def test_a_printed_text_prints_as_itself():
    cases = [case if isinstance(case, tuple) else (case, {}) for rule in ACCEPTED.values() for case in rule]
    for written, parameters in cases:
        read = parse(written, parameters)
        printed = print_text(read)
        assert same(parse(printed), read), written
        assert print_text(parse(printed)) == printed, written


def test_a_text_is_laid_out_a_clause_on_a_line():
    written = (
        'FIND(?s.name,COUNT(?l)) WHERE {?s{type:"Station"} NOT {?l(?s,"next_stop"{1,2}|"feeds",?o)}'.replace("?l(", "(")
        + ' FILTER(?s.zone>=2&&!(?s.zone==3||IS_NULL(?s.a)))} ORDER BY COUNT(?l) DESC,?s.name ASC LIMIT 5 CURSOR "c"'
    )
    assert print_text(parse(written)) == (
        "FIND(?s.name, COUNT(?l))\n"
        "WHERE {\n"
        '  ?s {type: "Station"}\n'
        "  NOT {\n"
        '    (?s, "next_stop"{1,2} | "feeds", ?o)\n'
        "  }\n"
        "  FILTER(?s.zone >= 2 && !(?s.zone == 3 || IS_NULL(?s.a)))\n"
        "}\n"
        "ORDER BY COUNT(?l) DESC, ?s.name\n"
        "LIMIT 5\n"
        'CURSOR "c"\n'
    )


def test_objects_stand_on_one_line_while_they_fit_and_keys_are_quoted_where_they_must_be():
    written = (
        'UPSERT { CONCEPT ?c { {name: "b", type: "A"} EXPECT VERSION 2'
        ' SET ATTRIBUTES { "a b": 1, "true": 2, "ok": [1,] }'
        ' SET PROPOSITIONS { ("p", ?c) WITH METADATA { a: 1 }, ("q", (id: "x")) } } WITH METADATA {} }'
        f' WITH METADATA {{ source: "{"x" * 60}", evidence: ["{"y" * 60}", 1] }}'
    )
    assert print_text(parse(written)) == (
        "UPSERT {\n"
        "  CONCEPT ?c {\n"
        '    {type: "A", name: "b"}\n'
        "    EXPECT VERSION 2\n"
        '    SET ATTRIBUTES { "a b": 1, "true": 2, ok: [1] }\n'
        "    SET PROPOSITIONS {\n"
        '      ("p", ?c) WITH METADATA { a: 1 }\n'
        '      ("q", (id: "x"))\n'
        "    }\n"
        "  } WITH METADATA {}\n"
        "} WITH METADATA {\n"
        f'  source: "{"x" * 60}",\n'
        f'  evidence: ["{"y" * 60}", 1]\n'
        "}\n"
    )
