#!/usr/bin/env python3
"""kndl: read and write what an assistant remembers, from a shell.

One file of standard-library Python (3.9 or newer) that speaks to a Kndl service over REST. `kndl help` lists the
commands. The answer is JSON on standard output and exit status 0, or `error: …` on standard error and exit status 1.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from http.client import HTTPException, HTTPResponse, IncompleteRead
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.error import HTTPError

TIMEOUT = 30  # seconds, for connecting and for each read
LONGEST_WAIT = 30  # seconds that a busy service may ask for and get
PAGE = 500  # facts asked for at a time
BATCH_LINES, BATCH_BYTES = 2_000, 4_000_000  # of one import request
LARGEST_TRANSCRIPT = 200 * 1024 * 1024  # bytes
LONGEST_PARAGRAPH = 100_000  # characters of a text that become one line
FILE_KEY = "kndl:file"  # reserved: the name of a fact's or a rule's file, on its way in and out
FACT_FILE, RULE_FILE, RULES = ".fact.json", ".rule.json", "inferences/"
ADDRESS = re.compile(r"(https?)://(([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?)/spaces/([a-zA-Z0-9_-]+)/?")
LOOPBACK = re.compile(r"localhost|127(\.[0-9]{1,3}){3}|\[::1\]", re.IGNORECASE)
WORD = re.compile(r"[!-~]+")  # what may stand in a header

Given = dict[str, Any]  # flag (or DIR, FILE, QUERY) → its value: text, a list of texts, or True
T = TypeVar("T")


class CommandError(Exception):
    """What ends a command with `error: …` and exit status 1."""


class Refused(CommandError):
    """What the service answered with instead of doing it; `field` and `detail` are of the first thing at fault."""

    def __init__(self, text: str, status: int, field: Any, detail: Any) -> None:
        super().__init__(text)
        self.status, self.field, self.detail = status, field, detail


def read_json(text: str) -> Any:
    """Returns the value of a JSON text, numbers as exact decimals; ValueError when it is none."""
    try:
        # int("NaN") raises: NaN and Infinity, which Python would take, are no JSON.
        return json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=int)
    except (RecursionError, ArithmeticError):
        raise ValueError("nested too deeply, or a number too large") from None


def write_json(value: Any, indent: str = "") -> str:
    """Returns the value as JSON indented by 2, with letters as they are and every digit of a number kept."""
    inner = indent + "  "
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict) and value:
        rows = [f"{inner}{write_json(key)}: {write_json(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + write_json(item, inner) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def encoded(text: str) -> bytes:
    """Returns JSON as UTF-8; a lone surrogate becomes the escape it came from, for its reader to judge."""
    return text.encode("utf-8", "backslashreplace")


def complain(text: str) -> None:
    """Writes to standard error, control characters escaped: no answer and no file name may steer a terminal."""
    print(re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text), file=sys.stderr)


def said(fault: BaseException) -> str:
    """Returns what a fault says to people: of a file, its name and what is wrong with it, without a number."""
    if not isinstance(fault, OSError) or fault.filename is None:
        return str(fault)
    wrong = "there is no such file" if isinstance(fault, FileNotFoundError) else (fault.strerror or "").lower()
    return f"{fault.filename}: {wrong}"


def token_from(environ: Mapping[str, str]) -> str:
    """Returns the seat's token, from KNDL_TOKEN or the file that KNDL_TOKEN_FILE names."""
    token, file = environ.get("KNDL_TOKEN"), environ.get("KNDL_TOKEN_FILE")
    if token and file:
        raise CommandError("KNDL_TOKEN and KNDL_TOKEN_FILE are both set; keep one")
    try:
        token = (Path(file).read_text("utf-8") if file else token or "").strip()
    except (OSError, ValueError) as fault:
        raise CommandError(f"KNDL_TOKEN_FILE cannot be read: {said(fault)}") from None
    if not WORD.fullmatch(token):
        raise CommandError("KNDL_TOKEN is not set, or is no token: that is one word of plain characters")
    return token


def json_value(body: bytes, what: str) -> Any:
    """Returns the value of JSON that the service sent."""
    try:
        return read_json(body.decode("utf-8"))
    except ValueError:
        raise CommandError(f"{what} is no JSON; check KNDL_STORAGE") from None


def json_answer(response: HTTPResponse) -> Any:
    """Returns the JSON that a response carries."""
    return json_value(response.read(), f"the service's answer ({response.headers.get_content_type()})")


def download(response: HTTPResponse, into: BinaryIO) -> None:
    """Keeps a long answer in a file, ready to be read; one that is cut short must not look like a whole one."""
    into.seek(0)
    into.truncate()
    shutil.copyfileobj(response, into)
    into.seek(0)
    if response.length:
        raise IncompleteRead(b"", response.length)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token belongs to the address it was set for."""

    def redirect_request(self, *_: Any) -> None:
        """Returns None, which makes the redirect itself the answer."""


class Service:
    """One Space of a Kndl service, reached over REST with the token of a seat."""

    def __init__(self, environ: Mapping[str, str], purpose: str) -> None:
        storage, wanted = environ.get("KNDL_STORAGE", "").strip(), "https://HOST/spaces/SPACE"
        if not storage:
            raise CommandError(f"KNDL_STORAGE is not set; it is to be {wanted}")
        if storage.lower().startswith(("fs:", "sqlite:")):
            kind = storage.partition(":")[0].lower()
            advice = f"set it to {wanted} and bring a memory folder in with `kndl import DIR`"
            raise CommandError(f"KNDL_STORAGE: {kind}: storage is not read here; {advice}")
        address = ADDRESS.fullmatch(storage)
        if not address:
            raise CommandError(f"KNDL_STORAGE is to be {wanted}, without a user name and with nothing behind the Space")
        scheme, place, host, _, space = address.groups()
        if scheme == "http" and not LOOPBACK.fullmatch(host) and environ.get("KNDL_ALLOW_HTTP") != "1":
            raise CommandError(f"plain http shows the token on its way to {host}: use https, or KNDL_ALLOW_HTTP=1")
        if purpose and not WORD.fullmatch(purpose):
            raise CommandError("a purpose (--purpose, KNDL_PURPOSE) is one word of plain characters")
        self.root, self.space = f"{scheme}://{place}/api/v1/", f"spaces/{space}"
        self.facts = f"{self.space}/facts"
        self.headers = {"Authorization": f"Bearer {token_from(environ)}", "User-Agent": "kndl"}
        if purpose:
            self.headers["Kndl-Purpose"] = purpose
        # A proxy from the environment has no business between us and our own machine.
        proxies = [urllib.request.ProxyHandler({})] if LOOPBACK.fullmatch(host) else []
        self.opener = urllib.request.build_opener(NoRedirect, *proxies)

    def fact(self, ident: str) -> str:
        """Returns the route of one fact; CommandError when that is no id of a fact."""
        if not re.fullmatch(r"fact:[^\s/?#%\\]+", ident):
            raise CommandError(f"{ident!r} is no @id of a fact, such as fact:customer-9281-score")
        return f"{self.facts}/{urllib.parse.quote(ident, safe=':')}"

    def call(
        self,
        route: str,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        kind: str = "application/json",
        read: Callable[[HTTPResponse], Any] = json_answer,
    ) -> Any:
        """Returns the JSON answer, or what `read` makes of it: GET without a body, else POST.

        Tries twice when the connection breaks, or when the service is busy and says for how long. Both attempts of a
        write carry one Idempotency-Key, so that it happens once whatever became of the first.
        """
        url = self.root + route + ("?" + urllib.parse.urlencode(params) if params else "")
        write = {"Content-Type": kind, "Idempotency-Key": str(uuid.uuid4())} if body is not None else {}
        for last in (False, True):
            # Made anew for each attempt, since a proxy rewrites the request it carries.
            request = urllib.request.Request(url, body, {**self.headers, **write})
            try:
                with self.opener.open(request, timeout=TIMEOUT) as response:
                    return read(response)
            except HTTPError as answer:
                wait = answer.headers.get("Retry-After", "")
                busy = answer.code in (429, 503) and re.fullmatch(r"[0-9]{1,2}", wait) and int(wait) <= LONGEST_WAIT
                if last or not busy:
                    raise refusal(answer) from None
                time.sleep(int(wait))
            except (OSError, ValueError, OverflowError, HTTPException) as fault:
                if last:  # ValueError and OverflowError come of a host or port that cannot be
                    raise CommandError(f"no answer from {self.root}: {getattr(fault, 'reason', fault)}") from None
        return None

    def pages(self, route: str, rows: str, params: dict[str, str]) -> Iterator[dict[str, Any]]:
        """Yields the pages of a list of `rows`, the next one as the cursor of the last one says."""
        params = {**params, "limit": str(PAGE)}
        while True:
            page = self.call(f"{self.space}/{route}", params)
            member(page, rows, list)
            yield page
            if page.get("next") is None:
                return
            if page["next"] == params.get("cursor"):
                raise CommandError("the service gave the same page again")
            params["cursor"] = member(page, "next", str)


def refusal(answer: HTTPError) -> CommandError:
    """Returns what a problem+json says, or the bare status of an answer that is none."""
    if 300 <= answer.code < 400:
        return CommandError(f"redirected to {answer.headers.get('Location')}, not followed; check KNDL_STORAGE")
    try:
        problem = read_json(answer.read(BATCH_BYTES).decode("utf-8"))
    except (OSError, HTTPException, ValueError):
        problem = None
    if not isinstance(problem, dict) or not (problem.get("title") or problem.get("detail")):
        return CommandError(f"the service answered {answer.code} {answer.reason} and no reason")
    rows = [": ".join(str(problem[key]) for key in ("title", "detail") if problem.get(key)) + f" ({answer.code})"]
    listed = problem["errors"] if isinstance(problem.get("errors"), list) else []
    faults = [fault for fault in listed if isinstance(fault, dict)]
    rows += [f"{fault.get('field')}: {fault.get('detail')}" for fault in faults]
    # The rest is what this kind of problem adds, such as the winner of a conflict.
    known = ("type", "code", "title", "detail", "instance")
    rows += [f"{key}: {value}" for key, value in problem.items() if key not in known and isinstance(value, str)]
    if "Retry-After" in answer.headers:
        rows.append(f"try again after: {answer.headers['Retry-After']} s")
    first = faults[0] if faults else {"detail": problem.get("detail") or problem.get("title")}
    return Refused("\n  ".join(rows), answer.code, first.get("field"), first.get("detail"))


def member(answer: Any, name: str, kind: type[T]) -> T:
    """Returns a member of an answer, of the kind the service promises."""
    value = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(value, kind):
        raise CommandError(f"the service's answer has no {name!r}; check KNDL_STORAGE")
    return value


def number(flag: str, text: str) -> Decimal:
    """Returns the number a flag was given; which numbers are allowed is the service's to say."""
    if not re.fullmatch(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text):
        raise CommandError(f"{flag} needs a number between 0 and 1, such as 0.95")
    return Decimal(text)


def fact_body(given: Given) -> bytes:
    """Returns the fact that the flags of a write describe."""
    fields = {flag: value for flag, value in given.items() if flag != "--old-id"}
    if fields.get("--valid-from") == "now":
        del fields["--valid-from"]  # left to the service, whose clock also sets recordedAt
    fields["--confidence"] = number("--confidence", fields["--confidence"])
    if "--object" in fields:
        with contextlib.suppress(ValueError):  # when it is no JSON, the raw text is meant
            fields["--object"] = read_json(fields["--object"])
    named = {re.sub(r"-(.)", lambda found: found[1].upper(), flag[2:]): value for flag, value in fields.items()}
    return encoded(write_json(named))


def asked(given: Given) -> dict[str, str]:
    """Returns the query parameters that the flags of a read describe."""
    names = ("--subject", "--predicate", "--text", "--as-of", "--min-confidence", "--max-depth", "--tenant")
    params = {name[2:].replace("-", "_"): given[name] for name in names if name in given}
    if "min_confidence" in params:
        number("--min-confidence", params["min_confidence"])
    if params.get("as_of") == "now":
        del params["as_of"]
    return params


def written(made: Any, **more: str) -> dict[str, Any]:
    """Returns what a write reports: the id, and the service's warnings when there are any."""
    warnings = {"warnings": made["warnings"]} if isinstance(made, dict) and made.get("warnings") else {}
    return {"id": member(made, "@id", str), **more, **warnings}


def add(service: Service, given: Given) -> Any:
    """Writes a fact."""
    return written(service.call(service.facts, body=fact_body(given)))


def supersede(service: Service, given: Given) -> Any:
    """Writes a fact that takes the place of an older one."""
    old = given["--old-id"]
    return written(service.call(f"{service.fact(old)}/supersede", body=fact_body(given)), supersedes=old)


def query(service: Service, given: Given) -> Any:
    """Returns the matching facts of all pages, at the instant the first page was read for."""
    pages = list(service.pages("facts", "facts", asked(given)))
    facts = [fact for page in pages for fact in page["facts"]]
    return {"as_of": pages[0].get("as_of"), "count": len(facts), "facts": facts}


def list_ids(service: Service, given: Given) -> Any:
    """Returns the ids of all facts, superseded and expired ones too."""
    params = {**asked(given), "include_superseded": "true", "include_expired": "true"}
    pages = service.pages("facts", "facts", params)
    return [member(fact, "@id", str) for page in pages for fact in page["facts"]]


def show(service: Service, given: Given) -> Any:
    """Returns one fact."""
    return service.call(service.fact(given["--id"]), asked(given))


def contradictions(service: Service, given: Given) -> Any:
    """Returns the claims that can't both hold, of all pages."""
    pages = service.pages("contradictions", "conflicts", asked(given))
    conflicts = [conflict for page in pages for conflict in page["conflicts"]]
    return {"count": len(conflicts), "conflicts": conflicts}


def provenance(service: Service, given: Given) -> Any:
    """Returns what stands behind a fact: its parents, what it superseded, its rule, and theirs."""
    found = service.call(f"{service.fact(given['--id'])}/provenance", asked(given))
    member(found, "chain", list)
    return found


def file_line(path: Path, name: str) -> bytes:
    """Returns a file's own JSON text as one line that begins with its name; ValueError says what is wrong with it."""
    if not path.is_file():
        raise ValueError("not a file")
    if path.stat().st_size > BATCH_BYTES:
        raise ValueError("larger than 4 MB")
    try:
        label = json.dumps({FILE_KEY: name}, ensure_ascii=False).encode()
        text = path.read_bytes().decode("utf-8-sig").strip()
    except UnicodeError:
        raise ValueError("its name or its text is not UTF-8") from None
    document = read_json(text)
    if not isinstance(document, dict) or FILE_KEY in document:
        raise ValueError(f"{FILE_KEY} is a reserved key" if isinstance(document, dict) else "not a JSON object")
    # The text goes as it is, so that nothing in it changes. No raw line break can stand inside a JSON string.
    return label[:-1] + (b", " if document else b"") + re.sub(r"[\r\n]", " ", text[1:]).encode() + b"\n"


def names_in(folder: Path, part: str, suffix: str) -> list[str]:
    """Returns the names of a part's files with that suffix, relative to the folder; hidden files are none of it."""
    found = sorted(path.name for path in (folder / part).iterdir()) if (folder / part).is_dir() else []
    return [part + name for name in found if name.endswith(suffix) and not name.startswith(".")]


def batches(folder: Path, names: Sequence[str], refuse: Callable[[str, str], None]) -> Iterator[dict[str, bytes]]:
    """Yields the lines of the fact files by name, as many at a time as one request takes."""
    batch: dict[str, bytes] = {}
    size = 0
    for name in names:
        try:
            line = file_line(folder / name, name)
        except (OSError, ValueError) as fault:
            refuse(name, str(fault))
            continue
        if len(batch) == BATCH_LINES or (batch and size + len(line) > BATCH_BYTES):
            yield batch
            batch, size = {}, 0
        batch[name] = line
        size += len(line)
    if batch:
        yield batch


def import_folder(service: Service, given: Given) -> Any:
    """Sends every fact and rule of a folder; returns the counts and, by file, what was refused and why."""
    folder, params = Path(given["DIR"]), {"as_scope": "true"} if "--as-scope" in given else {}
    names = names_in(folder, "", FACT_FILE) + names_in(folder, "facts/", FACT_FILE)
    rules = names_in(folder, RULES, RULE_FILE)
    if not names and not rules and not (folder / "facts").is_dir():
        raise CommandError(f"{folder} is no memory folder: it holds neither *{FACT_FILE} nor facts/")
    done, counts, errors = 0, {"imported": 0, "unchanged": 0}, list[dict[str, Any]]()

    def refuse(name: str | None, detail: Any, ident: Any = None, field: Any = None) -> None:
        errors.append({"file": name, "id": ident, "field": field, "detail": detail})

    for batch in batches(folder, names, refuse):
        answer = service.call(f"{service.facts}/import", params, b"".join(batch.values()), "application/x-ndjson")
        files = dict(enumerate(batch, 1))
        for count in counts:
            counts[count] += int(member(answer, count, Decimal))
        for fault in member(answer, "errors", list):
            name = files.get(int(member(fault, "line", Decimal)))
            refuse(name, fault.get("detail"), fault.get("id"), fault.get("field"))
        done += len(batch)
        if sys.stderr.isatty():
            print(f"\rimporting {done:,}/{len(names):,}", end="", file=sys.stderr, flush=True)
    if done and sys.stderr.isatty():
        print(file=sys.stderr)
    kept = sum(import_rule(service, folder, name, refuse) for name in rules)
    for error in errors:
        complain(f"refused: {error['file']}: {error['field'] or 'file'}: {error['detail']}")
    return {**counts, "errors": errors, "rules": kept}


def import_rule(service: Service, folder: Path, name: str, refuse: Callable[..., None]) -> bool:
    """Sends one rule; returns whether the service keeps it now, as it may have done before."""
    try:
        service.call(f"{service.space}/rules", body=file_line(folder / name, name))
    except (OSError, ValueError) as fault:
        refuse(name, said(fault))
    except Refused as fault:
        if fault.status == 401:  # it says nothing of this rule
            raise
        refuse(name, fault.detail, None, fault.field)
    else:
        return True
    return False


def file_name(name: Any, places: Sequence[str], suffix: str) -> str:
    """Returns the relative name of an exported file; ValueError when it lies in none of the places, or is none."""
    bare = name.rpartition("/")[2] if isinstance(name, str) else ""
    place = name[: -len(bare)] if bare else None
    forbidden = r'[\x00-\x1f\x7f/\\<>:"|?*]' if os.name == "nt" else r"[\x00-\x1f\x7f/\\]"
    if place not in places or bare.startswith(".") or not bare.endswith(suffix) or re.search(forbidden, bare):
        raise ValueError(f"{name!r} is no name of a *{suffix} file")
    return str(name)


def comparable(content: bytes) -> Any:
    """Returns the value of a JSON file, its numbers in tuples: bare, Python would take 1 and true for equal."""
    text = content.decode("utf-8-sig")
    return json.loads(text, parse_int=lambda digits: (Decimal(digits),), parse_float=lambda digits: (Decimal(digits),))


def put(folder: Path, name: str, value: Any, force: bool) -> None:
    """Writes a JSON file, whole or not at all; ValueError when one that says otherwise is there, unless forced."""
    path, content = folder / name, encoded(write_json(value) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent != folder and path.parent.is_symlink():
        raise ValueError(f"{path.parent} is a link, and an export stays inside its own folder")
    if path.is_symlink() or path.exists():
        with contextlib.suppress(ValueError, ArithmeticError):  # what is there may be no JSON, so it differs
            if path.is_file() and comparable(path.read_bytes()) == comparable(content):
                return
        if not force:
            raise ValueError("differs from the file that is there; --force replaces that")
    unfinished = path.with_name(f".kndl-{uuid.uuid4().hex}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


class Export:
    """A memory folder on its way to the disk: what was written, and what could not be."""

    def __init__(self, folder: Path, force: bool) -> None:
        self.folder, self.force, self.count = folder, force, 0
        self.seen, self.faults = set[str](), list[str]()

    def write(self, what: str, name: Any, value: Any, places: Sequence[str], suffix: str) -> None:
        """Writes one file, or notes why not under `what` it would have held."""
        self.count += 1
        try:
            file = file_name(name, places, suffix)
            if file.casefold() in self.seen:  # names that differ in case only are one file on many systems
                raise ValueError(f"{file} is the file of something else in this export")
            self.seen.add(file.casefold())
            put(self.folder, file, value, self.force)
        except (OSError, ValueError) as fault:
            self.faults.append(f"{what}: {said(fault)}")


def rule_id(rule: Any) -> str:
    """Returns the id of a rule, which a memory folder may also call plain `id`."""
    return member(rule, "@id" if isinstance(rule, dict) and "@id" in rule else "id", str)


def export_folder(service: Service, given: Given) -> Any:
    """Writes every fact and rule into a memory folder, once all have arrived; returns how many it now holds."""
    export, params, facts = Export(Path(given["DIR"]), "--force" in given), asked(given), 0
    context = service.call("context/v1.jsonld")
    rules = member(service.call(f"{service.space}/rules", params), "rules", list)
    named = [(rule_id(rule), rule) for rule in rules]
    with tempfile.TemporaryFile() as lines:
        service.call(f"{service.facts}/export", params, read=lambda answer: download(answer, lines))
        for facts, line in enumerate(lines, 1):
            document = json_value(line, f"line {facts} of the export")
            ident = member(document, "@id", str)
            export.write(ident, document.pop(FILE_KEY, None), document, ["", "facts/"], FACT_FILE)
    for number, (ident, rule) in enumerate(named, 1):
        made = re.sub(r'\A\.|[\x00-\x1f\x7f/\\<>:"|?*]', "-", ident)[:60]  # of letters with up to four bytes each
        name = rule.pop(FILE_KEY, None) or f"{RULES}{made}{RULE_FILE}"
        if str(name).casefold() in export.seen:  # of two folders that were imported
            name = f"{name[: -len(RULE_FILE)]}-{number}{RULE_FILE}"
        export.write(ident, name, rule, [RULES], RULE_FILE)
    export.write("the context", "context/v1.jsonld", context, ["context/"], ".jsonld")
    if export.faults:
        rows = [f"{len(export.faults):,} of {export.count:,} files were not written", *export.faults]
        raise CommandError("\n  ".join(rows))
    return {"exported": facts, "rules": len(rules), "directory": given["DIR"]}


def remember(service: Service, given: Given) -> Any:
    """Sends a transcript, or a text as one; returns what became of it, once a large one is worked through."""
    content, name = file_content(given["FILE"]), Path(given["FILE"]).name
    params = {**asked(given), "name": name if name not in ("", "-") else "standard input"}
    try:
        answer = send_transcript(service, params, content)
    except Refused as fault:
        if (fault.status, fault.field) != (400, "transcript"):
            raise
        lines = text_lines(content)
        if not lines:
            raise
        answer = send_transcript(service, params, lines)
    wait = 0.2
    while member(answer, "status", str) in ("waiting", "running"):
        time.sleep(wait)
        wait = min(wait * 1.5, 2.0)
        answer = service.call(f"{service.space}/transcripts/{member(answer, 'id', str)}", asked(given))
        if sys.stderr.isatty():
            print(f"\rread {answer.get('read')} of {answer.get('size')} bytes", end="", file=sys.stderr, flush=True)
    if answer["status"] == "failed":
        raise CommandError(str(answer.get("reason") or "the import failed"))
    return answer


def send_transcript(service: Service, params: Mapping[str, str], content: bytes) -> Any:
    """Sends a file as it is; returns what the service says of it."""
    return service.call(f"{service.space}/transcripts", params, content, "application/octet-stream")


def file_content(name: str) -> bytes:
    """Returns the bytes of a file, or of standard input for `-`."""
    with contextlib.ExitStack() as closing:
        file = sys.stdin.buffer if name == "-" else closing.enter_context(Path(name).open("rb"))
        content = file.read(LARGEST_TRANSCRIPT + 1)
    if len(content) > LARGEST_TRANSCRIPT:
        raise CommandError(f"{name} is larger than {LARGEST_TRANSCRIPT // 1024 // 1024} MB")
    return content


def text_lines(content: bytes) -> bytes:
    """Returns a text as JSON Lines, each paragraph what a user says; nothing for what is no text."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeError:
        return b""
    if "\0" in text or text.lstrip().startswith(("{", "[{")):
        return b""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\r?\n[ \t]*\r?\n", text)]
    parts = [
        paragraph[start : start + LONGEST_PARAGRAPH]
        for paragraph in paragraphs
        for start in range(0, len(paragraph), LONGEST_PARAGRAPH)
    ]
    return b"".join(json.dumps({"role": "user", "text": part}).encode() + b"\n" for part in parts)


def recall(service: Service, given: Given) -> Any:
    """Returns the memories that answer a question, best first; unless told not to, they are the stronger for it."""
    body: dict[str, Any] = {"query": given["QUERY"], "reinforce": "--no-reinforce" not in given}
    if "--limit" in given:
        if not re.fullmatch(r"[0-9]{1,4}", given["--limit"]):
            raise CommandError("--limit needs a whole number, such as 10")
        body["limit"] = int(given["--limit"])
    if "--explain" in given:
        body["explain"] = True
    found = service.call(f"{service.space}/recall", asked(given), encoded(json.dumps(body)))
    member(found, "items", list)
    return found


FACT = """--statement TEXT --confidence NUMBER --source URI [--subject ID] [--predicate NAME] [--object JSON]
      [--decay RATE/WINDOW] [--valid-from TIME] [--valid-until TIME] [--observed-at TIME] [--classification CLASS]
      [--consent ID] [--retention PERIOD] [--inference ID] [--derived-from ID…] [--negated] [--tenant NAME]"""
QUERY = """[--subject ID] [--predicate NAME] [--text WORDS] [--as-of TIME] [--min-confidence NUMBER]
      [--tenant NAME] [--purpose NAME]"""
LIST, SHOW = "[--subject ID] [--tenant NAME] [--purpose NAME]", "--id ID [--tenant NAME] [--purpose NAME]"
CONTRADICTIONS = "[--subject ID] [--predicate NAME] [--as-of TIME] [--tenant NAME] [--purpose NAME]"
PROVENANCE = "--id ID [--max-depth NUMBER] [--tenant NAME] [--purpose NAME]"
RECALL = "QUERY [--limit NUMBER] [--explain] [--no-reinforce] [--tenant NAME] [--purpose NAME]"
COMMANDS: dict[str, tuple[Callable[[Service, Given], Any], str, str]] = {  # synopsis: what is shown and what is taken
    "add": (add, FACT, "write a fact"),
    "supersede": (supersede, f"--old-id ID {FACT}", "put a newer fact in the place of an older one"),
    "query": (query, QUERY, "read facts, as they are or as they were"),
    "list": (list_ids, LIST, "read the ids of all facts"),
    "show": (show, SHOW, "read one fact"),
    "contradictions": (contradictions, CONTRADICTIONS, "read the claims that can't both hold"),
    "provenance": (provenance, PROVENANCE, "read where a fact comes from"),
    "import": (import_folder, "DIR [--as-scope]", "bring a memory folder in"),
    "export": (export_folder, "DIR [--force] [--tenant NAME] [--purpose NAME]", "write a memory folder"),
    "remember": (remember, "FILE [--tenant NAME]", "bring a conversation in: a transcript, or a text"),
    "recall": (recall, RECALL, "find what is remembered about something"),
}
TAKEN = re.compile(
    r"(\[?)(--[a-z-]+|DIR|FILE|QUERY)(?: ([A-Z/]+…?))?"
)  # in a synopsis: is it optional, its name, its value
IS_FLAG = re.compile(r"--[^\s=]+(=|\Z)")  # -5 and "--so he said" are values
HELP = """kndl: the facts an assistant remembers

{}
  kndl help

Set KNDL_STORAGE=https://HOST/spaces/SPACE and KNDL_TOKEN (or KNDL_TOKEN_FILE), and KNDL_PURPOSE to read for a purpose.
TIME is `now` (--as-of, --valid-from) or a time with its zone; --object takes JSON, else the text itself.
A value that looks like a flag is written --flag=VALUE. KNDL_ALLOW_HTTP=1 allows plain http to another machine.
"""


def parsed(name: str, words: Sequence[str]) -> Given:
    """Returns what the words of a command give; CommandError says what is wrong with them."""
    table = TAKEN.findall(COMMANDS[name][1])
    known, given, rest = {flag: value for _, flag, value in table}, Given(), list(words)
    place = next((flag for flag in known if not flag.startswith("--")), "DIR")
    while rest:
        word = rest.pop(0)
        flag, equals, value = word.partition("=") if IS_FLAG.match(word) else (place, "=", word)
        if flag not in known:
            raise CommandError(f"{name} takes no {word.partition('=')[0]!r}; see `kndl help`")
        if flag in given:
            raise CommandError(f"{flag} is given twice")
        values, takes = [value] if equals else [], "many" if known[flag].endswith("…") else known[flag] or flag
        if takes.startswith("--"):
            if equals:
                raise CommandError(f"{flag} takes no value")
            given[flag] = True
            continue
        while rest and not IS_FLAG.match(rest[0]) and (takes == "many" or not values):
            values.append(rest.pop(0))
        if flag == place and "" in values:
            raise CommandError(f"{flag} must not be empty")
        if not values or ("" in values and flag != "--object"):
            raise CommandError(f"{flag} needs a value (one that looks like a flag is written {flag}=VALUE)")
        given[flag] = values if takes == "many" else values[0]
    missing = [flag for optional, flag, _ in table if not optional and flag not in given]
    if missing:
        raise CommandError(f"{name} needs {missing[0]}; see `kndl help`")
    return given


def help_text() -> str:
    """Returns what `kndl help` tells."""
    rows = (f"  kndl {each} {synopsis}\n      {summary}" for each, (_, synopsis, summary) in COMMANDS.items())
    return HELP.format("\n".join(rows))


def answer_to(words: Sequence[str], environ: Mapping[str, str]) -> str:
    """Returns what a command line is answered with on standard output."""
    if not words:
        raise CommandError(f"name a command\n\n{help_text().rstrip()}")
    name, *rest = words
    if words in (["help"], ["--help"], ["-h"]) or (name in COMMANDS and rest == ["--help"]):
        return help_text()
    if name in ("help", "--help", "-h"):
        raise CommandError(f"{name} takes no {rest[0]!r}: it tells of every command")
    if name not in COMMANDS:
        raise CommandError(f"{name!r} is no command; see `kndl help`")
    try:
        "".join(words).encode()
    except UnicodeError:
        raise CommandError("the command line is not UTF-8") from None
    run, synopsis, _ = COMMANDS[name]
    given = parsed(name, rest)
    purpose = given.get("--purpose", environ.get("KNDL_PURPOSE", "")) if "--purpose" in synopsis else ""
    return write_json(run(Service(environ, purpose), given)) + "\n"


def main() -> int:
    """Runs the command line of this process; returns its exit status."""
    try:
        sys.stdout.buffer.write(encoded(answer_to(sys.argv[1:], os.environ)))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains of it once more on its way out
    except KeyboardInterrupt:
        complain("error: interrupted")
    except (CommandError, OSError, RecursionError) as fault:
        complain(f"error: {said(fault)}")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
