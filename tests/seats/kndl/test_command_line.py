"""The words of a `kndl` command line, its help, and the file itself."""

import ast
import contextlib
import json
import re
import shlex
import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seats.kndl import kndl
from tests.seats.kndl.rest import MADE, Answer, Rest
from tests.seats.kndl.shell import FILE, REQUIRED, ROOT


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "name a command\n\nkndl: the facts an assistant remembers"),
        (["contradict"], "'contradict'"),
        (["contradictions", "--text", "x"], "--text"),
        (["provenance"], "--id"),
        (["provenance", "--id", "customer:1"], "customer:1"),
        (["ad"], "'ad'"),
        (["query", "--subjct", "x"], "--subjct"),
        (["query", "--subj", "x"], "--subj"),
        (["query", "-subject", "x"], "-subject"),
        (["query", "stray"], "stray"),
        (["query", "--subject"], "--subject needs a value"),
        (["query", "--subject", ""], "--subject needs a value"),
        (["query", "--subject", "--predicate", "x"], "--subject needs a value"),
        (["query", "--subject", "a", "--subject", "b"], "--subject is given twice"),
        (["query", "--subject=a", "--subject=b"], "--subject is given twice"),
        (["query", "--subject", "a", "b"], "'b'"),
        (["query", "--min-confidence", "high"], "--min-confidence needs a number"),
        (["list", "--predicate", "x"], "--predicate"),
        (["show"], "--id"),
        (["show", "--id", "customer:1"], "customer:1"),
        (["show", "--id", "fact:a/../b"], "fact:a/../b"),
        (["add", *REQUIRED[2:]], "--statement"),
        (["add", *REQUIRED, "--negated=true"], "--negated takes no value"),
        (["add", *REQUIRED, "--negated", "true"], "'true'"),
        (["add", *REQUIRED, "--negated", "--negated"], "--negated is given twice"),
        (["add", *REQUIRED, "--derived-from"], "--derived-from needs a value"),
        (["add", *REQUIRED, "--derived-from", "--negated"], "--derived-from needs a value"),
        (["add", *REQUIRED, "--old-id", "fact:a"], "--old-id"),
        (["add", *REQUIRED, "--purpose", "care"], "--purpose"),
        (["supersede", *REQUIRED], "--old-id"),
        (["import"], "DIR"),
        (["import", ""], "DIR must not be empty"),
        (["recall", ""], "QUERY must not be empty"),
        (["remember", "nope"], "error: nope: there is no such file"),
        (["remember", "/"], "error: /: is a directory"),
        (["import", "a", "b"], "DIR is given twice"),
        (["import", "a", "--force"], "--force"),
        (["export", "--force"], "DIR"),
        (["query", b"--subject", b"\xff"], "UTF-8"),
        (["help", "query"], "help takes no 'query'"),
        (["--help", "query"], "--help takes no 'query'"),
    ],
)
def test_a_wrong_command_line_is_an_error_that_names_what_is_wrong(rest: Rest, run, words, named):
    assert named in run(*words).error
    assert rest.asked == []


@pytest.mark.parametrize("text", ["high", "NaN", "inf", "0,9", "1_0", "0x1", "٣", "1e9999", "", "true"])
def test_a_confidence_that_is_no_number_is_an_error(rest: Rest, run, text):
    words = [text if word == "0.95" else word for word in REQUIRED]
    assert "--confidence needs a" in run("add", *words).error
    assert rest.asked == []


@pytest.mark.parametrize("text", [".5", "1", "1.0", "0.123456789012345678", "1e-7", "-0.5", "2"])
def test_a_confidence_is_sent_as_the_number_it_is_and_judged_by_the_service(rest: Rest, run, text):
    rest.will(Answer(201, MADE))
    run("add", *[text if word == "0.95" else word for word in REQUIRED])
    assert json.loads(rest.asked[0].body, parse_float=Decimal)["confidence"] == Decimal(text)


@given(st.sampled_from(sorted(kndl.COMMANDS)), st.lists(st.text() | st.sampled_from(["--negated", "--object", "DIR"])))
def test_any_words_are_understood_or_refused_in_words(name, words):
    with contextlib.suppress(kndl.CommandError):
        understood = kndl.parsed(name, words)
        assert set(understood) <= {flag for _, flag, _ in kndl.TAKEN.findall(kndl.COMMANDS[name][1])}


@pytest.mark.parametrize("name", sorted(kndl.COMMANDS))
def test_no_flag_may_be_shortened_repeated_or_left_without_its_value(name):
    for _, flag, value in kndl.TAKEN.findall(kndl.COMMANDS[name][1]):
        once = [flag, "v"] if value else [flag]
        if not flag.startswith("--"):
            continue
        with pytest.raises(kndl.CommandError, match="takes no"):
            kndl.parsed(name, [flag[:-1], "v"])
        with pytest.raises(kndl.CommandError, match=f"{flag} is given twice"):
            kndl.parsed(name, once + once)
        with pytest.raises(kndl.CommandError, match=f"{flag} needs a value" if value else f"{flag} takes no value"):
            kndl.parsed(name, [flag] if value else [flag + "=v"])


@pytest.mark.parametrize("depth", [500, 5_000, 50_000])
def test_a_bottomless_object_is_no_traceback(rest: Rest, run, depth):
    rest.will(Answer(400, {"title": "Invalid", "detail": "too deep"}, "application/problem+json"))
    assert run("add", *REQUIRED, "--object", "[" * depth + "]" * depth).error


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"], ["add", "--help"]])
def test_help_needs_no_settings_and_names_every_command(run, words):
    done = run(*words, KNDL_STORAGE=None, KNDL_TOKEN=None)
    assert (done.status, done.err) == (0, "")
    for name in (*kndl.COMMANDS, "help", "KNDL_STORAGE", "KNDL_TOKEN", "KNDL_PURPOSE"):
        assert name in done.out


def test_the_reference_tells_every_flag_and_its_examples_are_accepted():
    text = (ROOT / "docs" / "kndl-command.md").read_text()
    for _, synopsis, _ in kndl.COMMANDS.values():
        for _, flag, _ in kndl.TAKEN.findall(synopsis):
            assert flag in text
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    examples = [shlex.split(line)[1:] for line in lines if line.startswith("kndl ")]
    assert {words[0] for words in examples} == {*kndl.COMMANDS, "help"}
    for name, *words in examples:
        assert name == "help" or kndl.parsed(name, words[: words.index("|")] if "|" in words else words) is not None


def test_the_file_is_standard_library_for_python_3_9():
    tree = ast.parse(FILE.read_text(), feature_version=(3, 9))
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add((node.module or "").partition(".")[0])
    assert roots <= sys.stdlib_module_names


def test_the_file_runs_alone_in_any_folder(tmp_path):
    (tmp_path / "kndl.py").write_bytes(FILE.read_bytes())
    done = subprocess.run([sys.executable, "-I", "kndl.py", "help"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.startswith(b"kndl: ")
