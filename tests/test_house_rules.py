"""Rules of the house that no linter holds, over every file that git knows or would take.

Each rule is a function from a file's text to what is wrong in it, and is shown to catch a planted fault first.
"""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Where trust is taken by hand on purpose: (file, rule's word) → the reason.
ALLOWED: dict[tuple[str, str], str] = {}

DISTRUSTED = {"mark_safe", "csrf_exempt", "extractall", "pickle", "cPickle", "dill", "shelve", "marshal"}

# Spelt in two halves, so that this file does not break its own rule.
REGISTRIES = [
    f"{name}.{end}"
    for name, end in [
        ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("proxy.golang", "org"), ("deb.debian", "org"),
        ("crates", "io"), ("rubygems", "org"), ("jsdelivr", "net"), ("unpkg", "com"), ("huggingface", "co"),
    ]
]  # fmt: skip
ONE_MACHINE = re.compile(r"""(?:^|[\s"'`(=:])/(?:work|root)/\w""", re.MULTILINE)
HANDLER = re.compile(r"""\s(?:on[a-z]+|hx-on[:\w-]*)\s*=\s*["']""", re.IGNORECASE)
SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)", re.IGNORECASE)
STYLE = re.compile(r"""<style\b|\sstyle\s*=\s*["']""", re.IGNORECASE)
COMMENT = re.compile(r"\{#.*?#\}|\{% comment .*?%\}.*?\{% endcomment %\}", re.DOTALL)


def trust_taken_in_python(text: str) -> Iterator[str]:
    """Name each place where code trusts what it should not: a name of `DISTRUSTED`, or `shell=True`."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ImportFrom(module=str(name)) if name in DISTRUSTED:
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.name for alias in names if alias.name in DISTRUSTED)
            case ast.keyword(arg="shell", value=ast.Constant(value=True)):
                yield "shell=True"
            case _:
                pass


def trust_taken_in_templates(text: str) -> Iterator[str]:
    """Name each place where a template lets unescaped text or inline script and style through."""
    text = COMMENT.sub("", text)
    if re.search(r"\|\s*safe(seq)?\b", text):
        yield "|safe"
    if re.search(r"\{%\s*autoescape\s+off", text):
        yield "autoescape off"
    if HANDLER.search(text) or re.search(r"""["']\s*javascript:""", text, re.IGNORECASE):
        yield "inline handler"
    if SCRIPT.search(text):
        yield "inline script"
    if STYLE.search(text):
        yield "inline style"


def trust_taken_in_scripts(text: str) -> Iterator[str]:
    """Name each place where our own JavaScript makes code or markup out of text."""
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        if word in text:
            yield word


def places_named(text: str) -> Iterator[str]:
    """Name package registries and absolute paths of one machine: the checkout must work anywhere."""
    yield from (host for host in REGISTRIES if host in text.lower())
    if ONE_MACHINE.search(text):
        yield "a path of one machine"


def transactions_on_an_unnamed_database(text: str) -> Iterator[str]:
    """Name each `atomic` or `on_commit` without `using`: in memory/ it would protect the control database only."""
    tree = ast.parse(text)
    named = {
        id(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(keyword.arg == "using" for keyword in node.keywords)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="transaction"), attr=("atomic" | "on_commit") as name):
                if id(node) not in named:
                    yield name
            case ast.ImportFrom(module="django.db.transaction"):
                yield "django.db.transaction"
            case _:
                pass


def files(*endings: str, under: str = "") -> list[Path]:
    """Return the text files of the checkout that git tracks or would take, with one of the endings if any is given."""
    # Root runs this on a checkout of somebody else's: git refuses that unless told.
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run([*git, "--", under or "."], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = {ROOT / name for name in listed.stdout.decode().split("\0") if name}
    return sorted(file for file in found if file.is_file() and (not endings or file.suffix in endings))


def faults(rule: Callable[[str], Iterator[str]], chosen: list[Path]) -> list[str]:
    """Return "file: what" for everything that the rule finds and `ALLOWED` does not name."""
    found = []
    for file in chosen:
        name = file.relative_to(ROOT).as_posix()
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        found += [f"{name}: {what}" for what in rule(text) if (name, what) not in ALLOWED]
    return found


@pytest.mark.parametrize(
    ("rule", "planted"),
    [
        (trust_taken_in_python, "from django.utils.safestring import mark_safe"),
        (trust_taken_in_python, "import pickle"),
        (trust_taken_in_python, "from pickle import loads"),
        (trust_taken_in_python, "@csrf_exempt\ndef view(request): ..."),
        (trust_taken_in_python, "archive.extractall(folder)"),
        (trust_taken_in_python, "run('ls', shell=True)"),
        (trust_taken_in_templates, "{{ note|safe }}"),
        (trust_taken_in_templates, "{% autoescape off %}{{ note }}{% endautoescape %}"),
        (trust_taken_in_templates, '<a onclick="go()">'),
        (trust_taken_in_templates, '<a hx-on:click="go()">'),
        (trust_taken_in_templates, '<a href="javascript:go()">'),
        (trust_taken_in_templates, "<script>go()</script>"),
        (trust_taken_in_templates, '<p style="color: red">'),
        (trust_taken_in_templates, "<style>p { color: red }</style>"),
        (trust_taken_in_scripts, "node.innerHTML = text"),
        (places_named, "curl https://" + REGISTRIES[0] + "/simple"),
        (places_named, "cd /" + "work/tree"),
        (transactions_on_an_unnamed_database, "with transaction.atomic(): ..."),
        (transactions_on_an_unnamed_database, "@transaction.atomic\ndef write(): ..."),
        (transactions_on_an_unnamed_database, "transaction.on_commit(after)"),
        (transactions_on_an_unnamed_database, "from django.db.transaction import atomic"),
    ],
)
def test_the_rule_catches_a_planted_fault(rule, planted):
    assert list(rule(planted))


@pytest.mark.parametrize(
    ("rule", "innocent"),
    [
        (trust_taken_in_python, "run(['ls'], shell=False)  # never extractall, never pickle"),
        (trust_taken_in_templates, '<script type="module" src="{% static "kndl.js" %}"></script>'),
        (trust_taken_in_templates, '{# |safe is refused here #}<p class="one" data-on="x">{{ note }}</p>'),
        (places_named, "https://kndl.example/" + "work/7"),
        (transactions_on_an_unnamed_database, "with transaction.atomic(using=current_alias()): ..."),
    ],
)
def test_the_rule_lets_the_innocent_pass(rule, innocent):
    assert not list(rule(innocent))


def test_no_code_takes_trust_by_hand():
    # Markdown becomes HTML in one function, which sanitises it.
    sanitising = ROOT / "common/markdown.py"
    product = [file for file in files(".py") if not file.is_relative_to(ROOT / "tests") and file != sanitising]
    assert not faults(trust_taken_in_python, product)


def test_no_template_lets_unescaped_text_or_inline_script_through():
    assert not faults(trust_taken_in_templates, files(".html", ".txt", ".svg", under="templates"))


def test_no_script_of_ours_makes_code_or_markup_out_of_text():
    assert not faults(trust_taken_in_scripts, files(".js", under="static"))


def test_no_file_names_a_registry_or_a_path_of_one_machine():
    assert not faults(places_named, files())


def test_no_transaction_in_memory_leaves_its_database_unnamed():
    assert not faults(transactions_on_an_unnamed_database, files(".py", under="memory"))


def test_each_exception_is_still_needed():
    product = files(".py", ".html", ".js")
    rules = {".py": trust_taken_in_python, ".html": trust_taken_in_templates, ".js": trust_taken_in_scripts}
    taken = {(f.relative_to(ROOT).as_posix(), what) for f in product for what in rules[f.suffix](f.read_text())}
    assert set(ALLOWED) <= taken
