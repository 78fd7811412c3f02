"""What is a text of the language and what is not, rule by rule."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from memory.kip.language.errors import KipError
from memory.kip.language.parsing import parse
from memory.kip.language.scanning import scan
from tests.kip.texts_accepted import ACCEPTED, NODE, Q, S, attributes, concept, filtered, where
from tests.kip.texts_refused import REFUSED, TOO_MUCH

SHARED = Path(os.environ.get("KNDL_SHARED", Path(__file__).parents[3] / "shared"))


def outcome(case: str | tuple[str, dict[str, Any]]) -> str:
    text, parameters = case if isinstance(case, tuple) else (case, {})
    try:
        parse(text, parameters)
    except KipError as error:
        return error.code
    return "accepted"


def statement(text: str, parameters: dict[str, Any] | None = None) -> Any:
    (found,) = parse(text, parameters).statements
    return found


def others(cases: list[Any], expected: str) -> list[tuple[str, str]]:
    found = [(outcome(case), str(case)[:200]) for case in cases]
    return [one for one in found if one[0] != expected]


@pytest.mark.parametrize("rule", ACCEPTED)
def test_a_text_of_the_language_is_accepted(rule: str):
    assert others(ACCEPTED[rule], "accepted") == []


@pytest.mark.parametrize("rule", REFUSED)
def test_a_text_that_breaks_a_rule_is_refused(rule: str):
    assert others(REFUSED[rule], "KIP_1001") == []


@pytest.mark.parametrize("limit", TOO_MUCH)
def test_a_text_that_is_too_much_is_refused_as_that(limit: str):
    assert others(TOO_MUCH[limit], "KIP_4002") == []


def test_there_are_enough_texts_to_mean_something():
    assert sum(map(len, ACCEPTED.values())) > 150
    assert sum(map(len, REFUSED.values())) > 350


def test_values_are_what_the_text_or_the_parameter_says():
    text = attributes(
        r'{ a: "\u00e9\n", b: 1, c: 1.0, d: [true, null, :p], e:false, :f: 1 }'.replace(":f: 1", '"f g": {}')
    )
    upsert = statement(text, {"p": {"x": [1]}})
    values = upsert.blocks[0].attributes
    assert values == {"a": "é\n", "b": 1, "c": 1.0, "d": [True, None, {"x": [1]}], "e": False, "f g": {}}
    assert [type(values[key]) for key in "bce"] == [int, float, bool]


def test_a_word_of_the_language_is_a_key_like_any_other():
    values = statement(attributes("{ true: 1, null: 2, LIMIT: 3, FIND:true }")).blocks[0].attributes
    assert values == {"true": 1, "null": 2, "LIMIT": 3, "FIND": True}


def test_a_parameter_is_one_token_whatever_it_holds():
    find = statement(where("?s {name: :n}"), {"n": '"} } DELETE CONCEPT ?s DETACH'})
    assert find.where[0].match.name == '"} } DELETE CONCEPT ?s DETACH'


def test_null_in_a_pattern_is_a_key_that_is_absent():
    find = statement(where("?s {type: :t, name: null, id: :i}"), {"t": None, "i": "x"})
    match = find.where[0].match
    assert (match.id, match.type, match.name) == ("x", None, None)


def test_what_was_not_said_is_none_and_what_was_said_empty_is_empty():
    upsert = statement(concept("SET PROPOSITIONS {}") + " WITH METADATA {}")
    block = upsert.blocks[0]
    assert (block.attributes, block.links, block.version, block.metadata, upsert.metadata) == (None, (), None, None, {})


def test_options_of_a_search_are_taken_in_any_order():
    search = statement('SEARCH CONCEPT "x" LIMIT 3 THRESHOLD 0.5 MODE "hybrid" WITH TYPE "A"')
    assert (search.type, search.mode, search.threshold, search.limit) == ("A", "hybrid", 0.5, 3)


def test_an_aggregate_in_order_by_is_the_one_that_find_computes():
    find = statement(f"FIND(?s.name, COUNT(DISTINCT ?s)) WHERE {{ {S} }} ORDER BY COUNT(?s)")
    assert find.order[0].expression == find.expressions[1]


def test_and_binds_closer_than_or():
    find = statement(filtered("?s.a == 1 || ?s.b == 2 && ?s.c == 3"))
    shape = [type(one).__name__ for one in find.where[1].condition.conditions]
    assert shape == ["Comparison", "And"]


def test_a_text_that_writes_says_so():
    assert parse(concept()).writes
    assert parse(f"DELETE CONCEPT ?s DETACH WHERE {{ {S} }}").writes
    assert not parse(Q).writes
    assert not parse("DESCRIBE PRIMER").writes


def test_handed_texts_are_accepted():
    file = SHARED / "cases" / "kip" / "handed.json"
    if not file.exists():
        pytest.skip("no handed cases here")
    scripts = json.loads(file.read_text())["scripts"]
    steps = [step for script in scripts for step in script["steps"] if "command" in step]
    cases = [(step["command"], given(step)) for step in steps if step["name"] != "syntax error"]
    assert len(cases) > 40
    assert others(cases, "accepted") == []
    assert {outcome(step["command"]) for step in steps if step["name"] == "syntax error"} == {"KIP_1001"}


def given(step: dict[str, Any]) -> dict[str, Any]:
    """A step's parameters, with a string where an earlier answer would give one."""
    return {name: "x" if isinstance(value, dict) else value for name, value in step.get("parameters", {}).items()}


def test_texts_of_the_profile_are_accepted():
    file = SHARED / "seeds" / "kip-cognitive-memory-profile.md"
    if not file.exists():
        pytest.skip("no profile here")
    found = re.findall(
        r"^(?:UPSERT \{.*?^\}(?:\nWITH METADATA \{.*?^\})?$|SEARCH .*?$|FIND\(.*?ASC$)",
        file.read_text(),
        re.MULTILINE | re.DOTALL,
    )
    assert len(found) == 5
    values = [{lexeme[1][1:]: "v" for lexeme in scan(text) if lexeme[0] == "parameter"} for text in found]
    assert others(list(zip(found, values, strict=True)), "accepted") == []


def test_a_node_of_the_graph_is_the_same_in_a_write_and_in_a_query():
    assert outcome(f"UPSERT {{ CONCEPT {{ {NODE} }} }}") == outcome(where(f"?s {NODE}")) == "accepted"
