"""Rules of a memory folder: `inferences/*.rule.json` on their way in and out."""

import json

import pytest

from tests.seats.kndl.rest import BASE, CONTEXT, Answer, Rest, imported, ndjson, rules

PROBLEM = "application/problem+json"


def put(folder, name, content):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))


def test_import_sends_the_rules_after_the_facts_each_with_its_name(rest: Rest, run, tmp_path):
    put(tmp_path, "facts/a.fact.json", {"@id": "fact:a"})
    put(tmp_path, "inferences/distress.rule.json", {"@id": "rule:1", "weights": [1.0]})
    put(tmp_path, "inferences/plain.rule.json", {"id": "rule:2"})
    put(tmp_path, "inferences/notes.txt", "{}")
    rest.will(imported(1), Answer(201, {"@id": "rule:1"}), Answer(201, {"id": "rule:2"}))
    assert run("import", str(tmp_path)).json == {"imported": 1, "unchanged": 0, "errors": [], "rules": 2}
    _, first, second = rest.asked
    assert (first.method, first.path) == ("POST", BASE + "rules")
    assert first.headers["content-type"] == "application/json"
    assert first.json() == {"kndl:file": "inferences/distress.rule.json", "@id": "rule:1", "weights": [1.0]}
    assert second.json() == {"kndl:file": "inferences/plain.rule.json", "id": "rule:2"}


def test_a_folder_may_hold_rules_alone(rest: Rest, run, tmp_path):
    put(tmp_path, "inferences/a.rule.json", {"@id": "rule:1"})
    rest.will(Answer(201, {"@id": "rule:1"}))
    assert run("import", str(tmp_path)).json["rules"] == 1


def test_a_refused_rule_is_reported_by_its_file_and_stops_nothing(rest: Rest, run, tmp_path):
    put(tmp_path, "inferences/a.rule.json", "{not json")
    put(tmp_path, "inferences/b.rule.json", {"@id": "rule:1"})
    put(tmp_path, "inferences/c.rule.json", {"@id": "rule:2"})
    put(tmp_path, "inferences/d.rule.json", {"@id": "rule:3"})
    fault = {"field": "@id", "detail": "is taken by another rule"}
    rest.will(
        Answer(409, {"title": "Conflict", "errors": [fault]}, PROBLEM),
        Answer(403, {"title": "Forbidden", "detail": "facts:write is needed"}, PROBLEM),
        Answer(201, {"@id": "rule:3"}),
    )
    done = run("import", str(tmp_path))
    assert done.json["rules"] == 1
    assert [(error["file"], error["field"]) for error in done.json["errors"]] == [
        ("inferences/a.rule.json", None),
        ("inferences/b.rule.json", "@id"),
        ("inferences/c.rule.json", None),
    ]
    assert "refused: inferences/b.rule.json: @id: is taken by another rule" in done.err
    assert "refused: inferences/c.rule.json: file: facts:write is needed" in done.err


def test_a_token_that_ends_midway_ends_the_import(rest: Rest, run, tmp_path):
    put(tmp_path, "inferences/a.rule.json", {"@id": "rule:1"})
    rest.will(Answer(401, {"title": "Unauthenticated", "detail": "unknown, expired or revoked"}, PROBLEM))
    assert "revoked" in run("import", str(tmp_path)).error


def test_export_writes_a_rule_back_to_its_file(rest: Rest, run, tmp_path):
    rest.will(
        CONTEXT,
        rules({"@id": "rule:1", "weights": [1.0], "kndl:file": "inferences/größe.rule.json"}, {"@id": "rule:a/b"}),
        ndjson(),
    )
    assert run("export", str(tmp_path)).json == {"exported": 0, "rules": 2, "directory": str(tmp_path)}
    assert {path.name for path in (tmp_path / "inferences").iterdir()} == {"größe.rule.json", "rule-a-b.rule.json"}
    assert json.loads((tmp_path / "inferences/größe.rule.json").read_text()) == {"@id": "rule:1", "weights": [1.0]}


@pytest.mark.parametrize("ident", [".hidden", "..", "規" * 500, "a" * 500, 'c:\\"x"'])
def test_any_id_makes_a_name(rest: Rest, run, tmp_path, ident):
    rest.will(CONTEXT, rules({"@id": ident}, {"@id": ident + "!"}), ndjson())
    assert run("export", str(tmp_path)).json["rules"] == 2
    assert len(list((tmp_path / "inferences").iterdir())) == 2


def test_rules_of_one_name_are_told_apart(rest: Rest, run, tmp_path):
    name = "inferences/default.rule.json"
    rest.will(CONTEXT, rules({"@id": "rule:1", "kndl:file": name}, {"id": "rule:2", "kndl:file": name}), ndjson())
    run("export", str(tmp_path))
    files = {path.name: json.loads(path.read_text()) for path in (tmp_path / "inferences").iterdir()}
    assert files == {"default.rule.json": {"@id": "rule:1"}, "default-2.rule.json": {"id": "rule:2"}}


@pytest.mark.parametrize(
    "name",
    [
        "../evil.rule.json",
        "/evil.rule.json",
        "inferences/../../evil.rule.json",
        "a.rule.json",
        "inferences/a.fact.json",
        7,
    ],
)
def test_a_rule_leads_nowhere_else(rest: Rest, run, tmp_path, name):
    rest.will(CONTEXT, rules({"@id": "rule:evil", "kndl:file": name}), ndjson())
    assert "rule:evil" in run("export", str(tmp_path / "memory")).error
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["v1.jsonld"]


@pytest.mark.parametrize("body", [{}, {"rules": {}}, {"rules": [1]}, {"rules": [{"name": "no id"}]}])
def test_a_list_that_holds_no_rules_is_an_error(rest: Rest, run, tmp_path, body):
    rest.will(CONTEXT, Answer(body=body))
    assert "KNDL_STORAGE" in run("export", str(tmp_path)).error
