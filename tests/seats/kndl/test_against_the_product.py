"""The command and a whole Kndl together: memory folders in and out, and every example of the reference."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seats.kndl import kndl
from tests.instances import Instance
from tests.seats.kndl.shell import FILE, ROOT, Ran, ran

pytestmark = pytest.mark.slow

LOAN = ROOT.parent / "shared" / "data" / "kndl-memory-folders" / "loan-decision"
needs_loan = pytest.mark.skipif(not LOAN.is_dir(), reason="the loan folder of the specification is not here")
ELLA = "cat:ella"


class Shell:
    """An agent's shell: the command, pointed at a Space of its own."""

    def __init__(self, instance: Instance, space: str) -> None:
        made = instance.run("seat_create", "--space", space, "--create", "--verbs", "all")
        assert made.returncode == 0, made.stderr
        self.environ = {
            "KNDL_STORAGE": f"{instance.url}/spaces/{space}",
            "KNDL_TOKEN": made.stdout.split()[-1],
            "PATH": os.defpath,
        }

    def __call__(self, *words: str | Path) -> Ran:
        return ran([str(word) for word in words], self.environ)


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with Instance(tmp_path_factory.mktemp("kndl")) as running:
        yield running


@pytest.fixture(scope="module")
def cats(instance: Instance) -> Shell:
    """A Space that the small folder below was imported into, once."""
    return Shell(instance, "cats")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, cats: Shell) -> Path:
    """A memory folder with a fact in each of its places, a chain, a contradiction and a rule; imported into `cats`."""
    root = tmp_path_factory.mktemp("memory")
    weight = {
        "@id": "fact:ella-weight-1",
        "statement": "Ella weighs 4.1 kg",
        "subject": ELLA,
        "predicate": "weight",
        "object": 4.10,
        "confidence": 0.8,
        "decay": "0.5/30d",
        "source": "human://anna",
        "validFrom": "2026-04-01",
        "recordedAt": "2026-04-01T10:00:00+02:00",
    }
    heavier = weight | {
        "@id": "fact:ella-weight-2",
        "statement": "Ella weighs 4.4 kg",
        "object": 4.4,
        "recordedAt": "2026-05-01T08:00:00Z",
        "validFrom": "2026-05-01T08:00:00Z",
        "supersedes": "fact:ella-weight-1",
    }
    indoors = {
        "@context": "../context/v1.jsonld",
        "@id": "fact:ella-indoors",
        "@type": "Fact",
        "statement": "Ella lives indoors",
        "subject": ELLA,
        "predicate": "livesIndoors",
        "object": True,
        "negated": False,
        "confidence": 0.9,
        "source": "human://anna",
        "recordedAt": "2026-04-02T08:00:00Z",
        "mood": {"purrs": [1.0, 1e2]},
    }
    denied = {
        "@id": "fact:ella-not-indoors",
        "statement": "Ella does not live indoors",
        "subject": ELLA,
        "predicate": "livesIndoors",
        "object": True,
        "negated": True,
        "confidence": 0.95,
        "source": "human://ben",
        "recordedAt": "2026-04-03T08:00:00Z",
    }
    lazy = {
        "@id": "fact:ella-lazy",
        "statement": "Ella moves too little",
        "subject": ELLA,
        "predicate": "movesTooLittle",
        "object": True,
        "confidence": 0.5,
        "source": "human://anna",
        "recordedAt": "2026-05-02T08:00:00Z",
        "derivedFrom": ["fact:ella-weight-2", "fact:ella-indoors"],
        "inference": "rule:lazy",
    }
    rule = {"@id": "rule:lazy", "name": "Lazy cats", "text": "heavier and indoors", "weights": [0.5, 1.0]}
    for name, document in {
        "weight-1.fact.json": weight,
        "facts/weight-2.fact.json": heavier,
        "facts/größe.fact.json": indoors,
        "denied.fact.json": denied,
        "facts/lazy.fact.json": lazy,
        "inferences/lazy.rule.json": rule,
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(json.dumps(document, indent=4, ensure_ascii=False), "utf-8")
    assert cats("import", root).json == {"imported": 5, "unchanged": 0, "errors": [], "rules": 1}
    return root


def read(folder: Path) -> dict[str, Any]:
    """The JSON files of a folder by their relative name, compared to the digit; the context is the service's own."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    return {name: kndl.comparable(path.read_bytes()) for name, path in files.items()}


def test_a_second_import_changes_nothing(cats, folder):
    assert cats("import", folder).json == {"imported": 0, "unchanged": 5, "errors": [], "rules": 1}


def test_an_export_differs_in_nothing_but_white_space_and_key_order(cats, folder, tmp_path):
    answer = cats("export", tmp_path / "out").json
    assert answer == {"exported": 5, "rules": 1, "directory": str(tmp_path / "out")}
    assert read(tmp_path / "out") == read(folder)


def test_an_export_into_the_folder_it_came_from_touches_no_file(cats, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*.json")}
    cats("export", folder)
    assert {path: path.read_bytes() for path in folder.rglob("*.json")} == before


def test_a_query_tells_what_is_left_of_a_confidence_then(cats, folder):
    facts = cats("query", "--subject", ELLA, "--predicate", "weight", "--as-of", "2026-05-31T08:00:00Z").json["facts"]
    assert [(fact["@id"], fact["effective_confidence"]) for fact in facts] == [("fact:ella-weight-2", 0.4)]


def test_a_query_as_of_before_the_newer_fact_finds_the_older_one(cats, folder):
    facts = cats("query", "--subject", ELLA, "--predicate", "weight", "--as-of", "2026-04-30T00:00:00Z").json["facts"]
    assert [fact["@id"] for fact in facts] == ["fact:ella-weight-1"]


def test_a_contradiction_is_shown_with_the_claim_that_is_preferred(cats, folder):
    answer = cats("contradictions", "--subject", ELLA, "--as-of", "2026-06-01T00:00:00Z").json
    assert answer["count"] == 1
    (conflict,) = answer["conflicts"]
    assert (conflict["predicate"], conflict["preferred"]["id"]) == ("livesIndoors", "fact:ella-indoors")
    assert [claim["id"] for claim in conflict["conflicts_with"]] == ["fact:ella-not-indoors"]
    assert conflict["confidence_disagrees"] is True


def test_a_contradiction_is_not_there_before_its_second_claim(cats, folder):
    answer = cats("contradictions", "--subject", ELLA, "--as-of", "2026-04-02T12:00:00Z").json
    assert answer == {"count": 0, "conflicts": []}


def test_provenance_leads_to_the_parents_what_they_superseded_and_the_rule(cats, folder):
    answer = cats("provenance", "--id", "fact:ella-lazy").json
    assert {node["id"]: node["depth"] for node in answer["chain"]} == {
        "fact:ella-lazy": 0,
        "fact:ella-weight-2": 1,
        "fact:ella-indoors": 1,
        "rule:lazy": 1,
        "fact:ella-weight-1": 2,
    }
    assert (answer["root"], answer["depth"]) == ("fact:ella-lazy", 2)
    assert (answer["cycle"], answer["truncated"]) == (False, False)
    assert answer["weakest"]["id"] == "fact:ella-weight-2"  # it rests on that one, not on what that superseded


def test_provenance_ends_where_it_is_told_to_and_says_so(cats, folder):
    answer = cats("provenance", "--id", "fact:ella-lazy", "--max-depth", "1").json
    assert (answer["depth"], answer["truncated"], len(answer["chain"])) == (1, True, 4)


def test_a_rule_that_says_something_else_is_refused_by_its_file(cats, folder, tmp_path):
    (tmp_path / "inferences").mkdir()
    (tmp_path / "inferences" / "other.rule.json").write_text('{"@id": "rule:lazy", "name": "Another"}')
    answer = cats("import", tmp_path).json
    assert answer["rules"] == 0
    assert answer["errors"] == [
        {"file": "inferences/other.rule.json", "id": None, "field": "@id", "detail": "is taken by another rule"}
    ]


@pytest.fixture(scope="module")
def loan(instance: Instance) -> Shell:
    """A Space that the loan folder was imported into."""
    shell = Shell(instance, "loan")
    assert shell("import", LOAN).json == {"imported": 7, "unchanged": 0, "errors": [], "rules": 0}
    return shell


@needs_loan
@pytest.mark.parametrize(
    ("as_of", "confidences", "scores"),
    [
        ("2026-04-26T12:00:00Z", ["0.9680", "0.9490", "0.6309", "0.4546", "0.2586", "0.0785"], [740, 680]),
        ("2026-04-25T23:52:40Z", None, [720]),
        ("2026-04-22", None, []),
    ],
)
def test_the_loan_memory_is_read_as_it_was_at_any_time(loan, as_of, confidences, scores):
    facts = loan("query", "--subject", "customer:9281", "--as-of", as_of).json["facts"]
    if confidences is not None:
        assert [f"{fact['effective_confidence']:.4f}" for fact in facts] == confidences
    assert sorted((f["object"] for f in facts if f["predicate"] == "creditScore"), reverse=True) == scores
    assert all(fact["superseded_by"] is None for fact in facts)


@needs_loan
def test_the_loan_folder_comes_out_as_it_went_in(loan, tmp_path):
    assert loan("import", LOAN).json == {"imported": 0, "unchanged": 7, "errors": [], "rules": 0}
    assert loan("export", tmp_path).json["exported"] == 7
    assert read(tmp_path) == read(LOAN)


@pytest.mark.parametrize("kept", ["launcher", "service"])
def test_every_example_of_the_reference_runs(instance, tmp_path, kept):
    """With the command that `make setup` installs, and with the file that the service hands out."""
    reference = (ROOT / "docs" / "kndl-command.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", reference, re.DOTALL | re.MULTILINE)
    script = "\n".join(blocks).replace("http://127.0.0.1:8000", f"http://127.0.0.1:{instance.port}")
    script = script.replace("--space demo", f"--space {kept}").replace("/spaces/demo", f"/spaces/{kept}")
    script = script.replace("python manage.py", f"python {ROOT}/manage.py")
    command = FILE if kept == "launcher" else tmp_path / "kndl.py"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kndl").write_text(f'#!/bin/sh\nexec python3 "{command}" "$@"\n')
    (tmp_path / "bin" / "kndl").chmod(0o755)
    path = f"{tmp_path / 'bin'}:{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**instance.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"supersedes": "fact:customer-9281' in done.stdout
    assert (tmp_path / "memory" / "context" / "v1.jsonld").is_file()
    assert (tmp_path / "kndl.py").read_bytes() == FILE.read_bytes()


def test_the_error_that_the_reference_shows_is_the_one_that_is_said(cats: Shell) -> None:
    reference = (ROOT / "docs" / "kndl-command.md").read_text("utf-8")
    (shown,) = re.findall(r"^```\n(error: .*?)^```$", reference, re.MULTILINE | re.DOTALL)
    refused = cats("add", "--statement", "Ella is fine", "--confidence", "7", "--source", "human://anna")
    assert refused.error == shown
