"""`kndl import` and `kndl export`: memory folders on their way in and out."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seats.kndl import kndl
from tests.seats.kndl.rest import BASE, CONTEXT, NO_RULES, Answer, Rest, imported, ndjson
from tests.seats.kndl.shell import FILE, TOKEN


def put(folder: Path, name: str, content: Any) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=2).encode())


def test_import_sends_the_files_of_the_folder_and_of_its_facts_with_their_names(rest: Rest, run, tmp_path):
    put(tmp_path, "b.fact.json", {"@id": "fact:b"})
    put(tmp_path, "facts/größe.fact.json", {"@id": "fact:a", "statement": "zwei\nZeilen\u2028"})
    put(tmp_path, "notes.json", {"@id": "fact:no"})
    put(tmp_path, ".hidden.fact.json", {"@id": "fact:no"})
    rest.will(imported(1, 1))
    done = run("import", str(tmp_path))
    assert done.json == {"imported": 1, "unchanged": 1, "errors": [], "rules": 0}
    assert done.err == ""
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.params) == ("POST", BASE + "facts/import", {})
    assert asked.headers["content-type"] == "application/x-ndjson"
    assert "idempotency-key" in asked.headers
    assert asked.lines() == [
        {"kndl:file": "b.fact.json", "@id": "fact:b"},
        {"kndl:file": "facts/größe.fact.json", "@id": "fact:a", "statement": "zwei\nZeilen\u2028"},
    ]


def test_a_file_travels_in_its_own_spelling(rest: Rest, run, tmp_path):
    put(
        tmp_path,
        "a.fact.json",
        b'\xef\xbb\xbf {\r\n"a": 1.0,\n"b": 1e5, "c": 1E400, "d": 123456789012345678901, "a": 2}\n\n',
    )
    put(tmp_path, "b.fact.json", b"{}")
    rest.will(imported(2))
    assert run("import", str(tmp_path)).status == 0
    assert rest.asked[0].body == (
        b'{"kndl:file": "a.fact.json",   "a": 1.0, "b": 1e5, "c": 1E400, "d": 123456789012345678901, "a": 2}\n'
        b'{"kndl:file": "b.fact.json"}\n'
    )


json_text = st.text(st.characters(codec="utf-8"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | json_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(json_text, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=60)
@given(st.dictionaries(json_text, json_values, max_size=5), st.sampled_from([None, 2, "\t"]), st.booleans())
def test_any_document_becomes_one_line_that_says_the_same(tmp_path_factory, document, indent, escaped):
    file = tmp_path_factory.mktemp("memory") / "a.fact.json"
    file.write_bytes(json.dumps(document, indent=indent, ensure_ascii=escaped).encode())
    line = kndl.file_line(file, "a.fact.json")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"kndl:file": "a.fact.json", **document}


@given(json_values)
def test_json_is_written_as_it_was_read(value):
    assert json.loads(kndl.write_json(kndl.read_json(json.dumps(value)))) == value


@pytest.mark.parametrize("spelling", ["1.0", "0.10", "-0", "123456789012345678901234567890", "1" * 5000, "1E-7"])
def test_a_number_keeps_its_digits(spelling):
    assert kndl.write_json(kndl.read_json(spelling)) == spelling


def test_a_bad_file_is_reported_by_name_and_stops_nothing(rest: Rest, run, tmp_path):
    put(tmp_path, "a.fact.json", b"{not json")
    put(tmp_path, "b.fact.json", [1])
    put(tmp_path, "c.fact.json", b'{"a": "\xff"}')
    put(tmp_path, "d.fact.json", b'{"a": NaN}')
    put(tmp_path, "e.fact.json", b'{"a": ' + b"[" * 200_000 + b"}")
    put(tmp_path, "f.fact.json", {"kndl:file": "../../x"})
    put(tmp_path, "g.fact.json", b"")
    put(tmp_path, "h.fact.json", b'{"a": "' + b"x" * 4_000_000 + b'"}')
    (tmp_path / "i.fact.json").mkdir()
    (tmp_path / "j.fact.json").symlink_to(tmp_path / "nowhere")
    put(tmp_path, "y.fact.json", {"@id": "fact:y", "confidence": 2})
    put(tmp_path, "z.fact.json", {"@id": "fact:z"})
    rest.will(imported(1, 0, [{"line": 1, "id": "fact:y", "field": "confidence", "detail": "must be at most 1"}]))
    done = run("import", str(tmp_path))
    answer = done.json
    assert answer["imported"] == 1
    assert [error["file"][0] for error in answer["errors"]] == list("abcdefghijy")
    assert all(error["detail"] for error in answer["errors"])
    assert answer["errors"][-1] == {
        "file": "y.fact.json", "id": "fact:y", "field": "confidence", "detail": "must be at most 1",
    }  # fmt: skip
    assert "refused: y.fact.json: confidence: must be at most 1" in done.err
    assert done.err.count("refused: ") == 11
    assert [line["@id"] for line in rest.asked[0].lines()] == ["fact:y", "fact:z"]


def test_a_file_whose_name_is_not_utf8_is_reported(rest: Rest, run, tmp_path):
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.fact.json"))).write_text("{}")
    answer = run("import", str(tmp_path)).json
    assert answer["errors"][0]["detail"] == "its name or its text is not UTF-8"
    assert rest.asked == []


def test_a_large_folder_goes_in_batches_and_errors_find_their_file(rest: Rest, run, tmp_path):
    for number in range(2001):
        put(tmp_path, f"facts/{number:04}.fact.json", {"@id": f"fact:{number}"})
    fault = {"line": 1, "id": "fact:2000", "field": "source", "detail": "is missing"}
    rest.will(imported(1990, 10), imported(0, 0, [fault]))
    answer = run("import", str(tmp_path), "--as-scope").json
    assert (answer["imported"], answer["unchanged"]) == (1990, 10)
    assert [error["file"] for error in answer["errors"]] == ["facts/2000.fact.json"]
    assert [len(asked.lines()) for asked in rest.asked] == [2000, 1]
    assert [asked.params for asked in rest.asked] == [{"as_scope": "true"}] * 2


def test_a_batch_stays_under_4_mb(rest: Rest, run, tmp_path):
    for number in range(3):
        put(tmp_path, f"{number}.fact.json", {"@id": "fact:a", "statement": "x" * 1_900_000})
    rest.will(imported(2), imported(1))
    assert run("import", str(tmp_path)).json["imported"] == 3
    assert [len(asked.lines()) for asked in rest.asked] == [2, 1]
    assert all(len(asked.body) <= 4_000_000 for asked in rest.asked)


@pytest.mark.parametrize("errors", [[{"line": 9, "detail": "?"}], [{"line": 0, "detail": "?"}], [{"line": 10**40}]])
def test_an_error_of_an_unknown_line_is_still_reported(rest: Rest, run, tmp_path, errors):
    put(tmp_path, "a.fact.json", {"@id": "fact:a"})
    rest.will(imported(0, 0, errors))
    assert run("import", str(tmp_path)).json["errors"][0]["file"] is None


def test_an_import_that_the_service_refuses_as_a_whole_is_an_error(rest: Rest, run, tmp_path):
    put(tmp_path, "a.fact.json", {"@id": "fact:a"})
    rest.will(Answer(403, {"title": "Forbidden", "detail": "facts:import is needed"}, "application/problem+json"))
    assert "facts:import is needed" in run("import", str(tmp_path)).error


@pytest.mark.parametrize("name", ["missing", "file", "empty"])
def test_a_folder_that_holds_no_memory_is_an_error(rest: Rest, run, tmp_path, name):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    assert name in run("import", str(tmp_path / name)).error
    assert rest.asked == []


def test_an_empty_memory_is_imported_without_a_request(rest: Rest, run, tmp_path):
    (tmp_path / "facts").mkdir()
    assert run("import", str(tmp_path)).json == {"imported": 0, "unchanged": 0, "errors": [], "rules": 0}
    assert rest.asked == []


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_person_sees_how_far_an_import_is(rest: Rest, tmp_path):
    import pty

    for number in range(2001):
        put(tmp_path, f"{number:04}.fact.json", {"@id": f"fact:{number}"})
    rest.will(imported(2000), imported(1))
    ours, theirs = pty.openpty()
    environ = {"KNDL_STORAGE": rest.storage, "KNDL_TOKEN": TOKEN}
    command = [sys.executable, FILE, "import", tmp_path]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert json.loads(done.stdout)["imported"] == 2001
    assert shown.split("\r")[1:3] == ["importing 2,000/2,001", "importing 2,001/2,001"]


def test_export_writes_the_skills_layout(rest: Rest, run, tmp_path):
    first = {"kndl:file": "größe.fact.json", "@id": "fact:a", "statement": "Größe", "object": {"n": 1.0}}
    rest.will(CONTEXT, NO_RULES, ndjson(first, {"kndl:file": "facts/b.fact.json", "@id": "fact:b"}, chunked=True))
    folder = tmp_path / "new" / "memory"
    answer = run("export", str(folder), "--tenant", "t", "--purpose", "care").json
    assert answer == {"exported": 2, "rules": 0, "directory": str(folder)}
    text = '{\n  "@id": "fact:a",\n  "statement": "Größe",\n  "object": {\n    "n": 1.0\n  }\n}\n'
    assert (folder / "größe.fact.json").read_text("utf-8") == text
    assert json.loads((folder / "context" / "v1.jsonld").read_text()) == CONTEXT.body
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert names == ["context/v1.jsonld", "facts/b.fact.json", "größe.fact.json"]
    context, rules, facts = rest.asked
    assert (context.method, context.path) == ("GET", "/api/v1/context/v1.jsonld")
    assert (rules.method, rules.path, rules.params) == ("GET", BASE + "rules", {"tenant": "t"})
    assert (facts.method, facts.path, facts.params) == ("GET", BASE + "facts/export", {"tenant": "t"})
    assert facts.headers["kndl-purpose"] == "care"


def test_an_import_exported_again_is_the_same_to_the_digit(rest: Rest, run, tmp_path):
    source = b'{"@id": "fact:a", "object": [1.0, 0.10, 12345678901234567890.5, 1E+400], "statement": "\\ud800"}'
    put(tmp_path, "a.fact.json", source)
    rest.will(imported(1))
    run("import", str(tmp_path))
    rest.will(CONTEXT, NO_RULES, Answer(body=rest.asked[0].body))
    run("export", str(tmp_path / "out"))
    squeezed = (tmp_path / "out" / "a.fact.json").read_bytes()
    assert re.sub(rb"\s", b"", squeezed) == re.sub(rb"\s", b"", source)


@pytest.mark.parametrize(
    "name",
    [
        "/evil.fact.json", "//evil.fact.json",
        "../evil.fact.json", "/tmp/evil.fact.json", "facts/../evil.fact.json", "facts//evil.fact.json", "a/b.fact.json",
        "facts/facts/a.fact.json", "..", ".fact.json", ".a.fact.json", "", None, 7, "a.json", "a\\b.fact.json",
        "a\x00.fact.json", "a\n.fact.json", "a.fact.json\n", "facts/", "../facts/a.fact.json", "x" * 300 + ".fact.json",
    ],
)  # fmt: skip
def test_a_hostile_file_name_writes_nothing_and_the_rest_arrives(rest: Rest, run, tmp_path, name):
    hostile = {"kndl:file": name, "@id": "fact:evil"}
    rest.will(CONTEXT, NO_RULES, ndjson(hostile, {"kndl:file": "b.fact.json", "@id": "fact:b"}))
    error = run("export", str(tmp_path / "memory")).error
    assert "1 of 3 files" in error
    assert "fact:evil" in error
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert written == ["memory/b.fact.json", "memory/context/v1.jsonld"]


def test_two_facts_in_one_file_are_an_error_whatever_their_case(rest: Rest, run, tmp_path):
    first = {"kndl:file": "facts/a.fact.json", "@id": "fact:a"}
    second = {"kndl:file": "facts/A.fact.json", "@id": "fact:A"}
    rest.will(CONTEXT, NO_RULES, ndjson(first, second))
    assert "fact:A: facts/A.fact.json is the file of something else" in run("export", str(tmp_path)).error
    assert [path.name for path in (tmp_path / "facts").iterdir()] == ["a.fact.json"]


def test_an_export_leaves_what_says_the_same_and_refuses_to_replace_what_differs(rest: Rest, run, tmp_path):
    put(tmp_path, "facts/same.fact.json", b'{"object": 1.00, "@id": "fact:same"}')
    put(tmp_path, "facts/differs.fact.json", b'{"@id": "fact:differs", "object": true}')
    put(tmp_path, "facts/broken.fact.json", b"{")
    export: list[dict[str, Any]] = [
        {"kndl:file": "facts/same.fact.json", "@id": "fact:same", "object": 1.0},
        {"kndl:file": "facts/differs.fact.json", "@id": "fact:differs", "object": 1},
        {"kndl:file": "facts/broken.fact.json", "@id": "fact:broken"},
    ]
    rest.will(*[CONTEXT, NO_RULES, ndjson(*export)] * 3)
    error = run("export", str(tmp_path)).error
    assert "2 of 4 files" in error
    assert "fact:differs: differs" in error
    assert "fact:broken: differs" in error
    assert (tmp_path / "facts/differs.fact.json").read_bytes() == b'{"@id": "fact:differs", "object": true}'
    assert run("export", str(tmp_path), "--force").json["exported"] == 3
    assert json.loads((tmp_path / "facts/differs.fact.json").read_text())["object"] == 1
    assert (tmp_path / "facts/same.fact.json").read_bytes() == b'{"object": 1.00, "@id": "fact:same"}'
    assert run("export", str(tmp_path)).json["exported"] == 3


@pytest.mark.parametrize("chunked", [False, True])
def test_an_export_cut_short_twice_writes_nothing(rest: Rest, run, tmp_path, chunked):
    facts = [{"kndl:file": f"{number}.fact.json", "@id": f"fact:{number}"} for number in range(4)]
    cut, whole = ndjson(*facts, cut="middle", chunked=chunked), ndjson(*facts, chunked=chunked)
    rest.will(CONTEXT, NO_RULES, cut, cut, CONTEXT, NO_RULES, cut, whole)
    assert "no answer" in run("export", str(tmp_path / "memory")).error
    assert not (tmp_path / "memory").exists()
    assert run("export", str(tmp_path / "memory")).json["exported"] == 4


def test_an_export_does_not_follow_a_link_out_of_its_folder(rest: Rest, run, tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "memory" / "facts").symlink_to(tmp_path / "outside")
    (tmp_path / "memory" / "context").mkdir()
    (tmp_path / "victim").write_text("{}")
    (tmp_path / "memory" / "context" / "v1.jsonld").symlink_to(tmp_path / "victim")
    rest.will(CONTEXT, NO_RULES, ndjson({"kndl:file": "facts/a.fact.json", "@id": "fact:a"}))
    assert "2 of 2 files" in run("export", str(tmp_path / "memory")).error
    assert list((tmp_path / "outside").iterdir()) == []
    assert (tmp_path / "victim").read_text() == "{}"


@pytest.mark.parametrize("body", [b"<html>", b'{"kndl:file": "a.fact.json"}\n', b"[]\n", b'{"@id": "fact:a"\n'])
def test_an_export_that_is_no_export_is_an_error(rest: Rest, run, tmp_path, body):
    rest.will(CONTEXT, NO_RULES, Answer(body=body))
    assert run("export", str(tmp_path)).error


def test_a_folder_that_cannot_be_written_is_an_error(rest: Rest, run, tmp_path):
    (tmp_path / "file").write_text("")
    rest.will(CONTEXT, NO_RULES, ndjson({"kndl:file": "a.fact.json", "@id": "fact:a"}))
    assert "fact:a" in run("export", str(tmp_path / "file")).error
