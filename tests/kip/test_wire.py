"""The wire of KIP: what a request may say, batches, dry runs, reading only, logs, statuses."""

from typing import Any

import pytest
from django.test import Client

from audit.models import AuditRow
from memory.kip.models import KipLog
from memory.kip.wire import executing, views
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope, make_seat_token, make_user
from tests.kip.wired import Wired

PERSON = 'UPSERT { CONCEPT ?p { {type: "Person", name: "Ada"} SET ATTRIBUTES { person_class: "Human" } } }'
FIND = 'FIND(?p.name) WHERE { ?p {type: "Person", name: "Ada"} }'
BROKEN = "FIND(?p WHERE"
WRONG = 'UPSERT { CONCEPT ?p { {type: "Nobody", name: "Ada"} } }'


def test_name_and_version_are_told_to_anybody(kip: Wired) -> None:
    answer = Client().get("/kip")
    assert answer.status_code == 200
    assert answer.json() == {"name": "Kndl", "version": "1.0-RC11"}
    assert answer.headers["KIP-Version"] == "1.0-RC11"


def test_who_asks_is_known_before_the_body_is_read(kip: Wired) -> None:
    answer = Client().post("/kip", b"{", content_type="application/json")
    assert answer.status_code == 401
    assert answer.json()["error"]["hint"]
    wrong = Client(headers={"Authorization": "Bearer kndl_seat_nobody"})
    assert wrong.post("/kip", b"{", content_type="application/json").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"method": "execute_kip"},
        {"method": "nothing", "params": {"command": FIND}},
        {"method": "execute_kip", "params": {}},
        {"method": "execute_kip", "params": {"command": FIND, "commands": [FIND]}},
        {"method": "execute_kip", "params": {"command": 1}},
        {"method": "execute_kip", "params": {"commands": []}},
        {"method": "execute_kip", "params": {"commands": [1]}},
        {"method": "execute_kip", "params": {"commands": [{"command": FIND, "dry_run": True}]}},
        {"method": "execute_kip", "params": {"command": FIND, "dryrun": True}},
        {"method": "execute_kip", "params": {"command": FIND, "dry_run": "yes"}},
        {"method": "execute_kip", "params": {"command": FIND, "parameters": []}},
        {"method": "execute_kip", "params": {"command": FIND}, "extra": 1},
        {"method": "list_logs", "params": {"limit": 0}},
        {"method": "list_logs", "params": {"limit": 101}},
        {"method": "list_logs", "params": {"limit": True}},
        {"method": "list_logs", "params": {"cursor": "nonsense"}},
        {"method": "list_logs", "params": {"page": 1}},
    ],
)
def test_a_request_of_another_shape_is_refused(kip: Wired, body: Any) -> None:
    error = kip.send(body)["error"]
    assert (error["code"], kip.status) == ("KIP_1001", 400)
    assert error["hint"]


def test_what_json_rpc_adds_is_ignored(kip: Wired) -> None:
    assert kip.send({"jsonrpc": "2.0", "id": 7, "method": "execute_kip", "params": {"command": FIND}}) == {"result": []}


def test_each_error_has_its_status(kip: Wired) -> None:
    for command, code, status in (
        (BROKEN, "KIP_1001", 400),
        (WRONG, "KIP_2001", 400),
        ('FIND(?q) WHERE { ?p {type: "Person"} }', "KIP_3001", 400),
        ('DESCRIBE CONCEPT TYPE "Nobody"', "KIP_3002", 404),
        ('DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Domain", name: "CoreSchema"} }', "KIP_3004", 403),
        ('UPSERT { CONCEPT { {type: "Person", name: "$self"} EXPECT VERSION 0 } }', "KIP_3005", 409),
        ('FIND(?p) WHERE { ?p {type: "Person"} } //' + "x" * 300_000, "KIP_4002", 400),
    ):
        assert kip.error(command) == code
        assert kip.status == status


def test_a_batch_goes_on_after_what_never_ran_and_ends_with_a_change_that_failed(kip: Wired) -> None:
    batch = kip.post("execute_kip", {"commands": [BROKEN, 'DESCRIBE CONCEPT TYPE "No"', PERSON, FIND, WRONG, FIND]})
    assert kip.status == 200
    kinds = [one["error"]["code"] if "error" in one else "done" for one in batch["result"]]
    assert kinds == ["KIP_1001", "KIP_3002", "done", "done", "KIP_2001"]


def test_a_change_that_does_not_parse_does_not_end_a_batch(kip: Wired) -> None:
    batch = kip.post("execute_kip", {"commands": ["UPSERT { CONCEPT }", "UPSERT { CONCEPT { {id: :x} } }", FIND]})
    assert [("error" in one) for one in batch["result"]] == [True, True, False]


def test_parameters_of_a_command_go_before_shared_ones(kip: Wired) -> None:
    kip.result(PERSON)
    find = "FIND(?p.name) WHERE { ?p {type: :t, name: :n} }"
    batch = kip.post(
        "execute_kip",
        {
            "commands": [find, {"command": find, "parameters": {"n": "$self"}}],
            "parameters": {"t": "Person", "n": "Ada"},
        },
    )
    assert [one["result"] for one in batch["result"]] == [["Ada"], ["$self"]]


def test_reading_only_refuses_a_change_and_goes_on(kip: Wired) -> None:
    batch = kip.post("execute_kip_readonly", {"commands": [PERSON, FIND]})["result"]
    assert batch[0]["error"]["code"] == "KIP_1001"
    assert "execute_kip" in batch[0]["error"]["hint"]
    assert batch[1] == {"result": []}


def test_a_dry_run_checks_everything_and_keeps_nothing(kip: Wired) -> None:
    dry = kip.post("execute_kip", {"command": PERSON, "dry_run": True})
    assert dry["result"] == {"blocks": 1, "upsert_concept_nodes": [], "upsert_proposition_links": []}
    assert kip.post("execute_kip", {"command": WRONG, "dry_run": True})["error"]["code"] == "KIP_2001"
    assert kip.result(FIND) == []


def test_a_dry_run_does_not_come_so_far_as_patterns_and_cursors(kip: Wired) -> None:
    for command in (
        'FIND(?p) WHERE { ?p {type: "Person"} FILTER(REGEX(?p.name, "[")) }',
        'FIND(?p) WHERE { ?p {type: "Person"} } CURSOR "another"',
    ):
        assert "error" not in kip.post("execute_kip", {"command": command, "dry_run": True})
        assert kip.error(command) == "KIP_1001"


def test_more_commands_than_a_batch_has_are_refused(kip: Wired) -> None:
    assert kip.post("execute_kip", {"commands": [FIND] * 257})["error"]["code"] == "KIP_4002"


def test_the_log_is_told_page_by_page_newest_first(kip: Wired) -> None:
    kip.result(PERSON)
    kip.result(FIND)
    kip.error(BROKEN)
    first = kip.post("list_logs", {"limit": 2})
    assert [one["command"] for one in first["result"]] == [BROKEN, FIND]
    assert first["result"][0]["error"] == "KIP_1001"
    second = kip.post("list_logs", {"limit": 2, "cursor": first["next_cursor"]})
    assert [one["command"] for one in second["result"]] == [PERSON]
    assert "next_cursor" not in second


def test_no_secret_and_nothing_called_phi_is_kept_in_the_log(kip: Wired, space: Any) -> None:
    kip.run('SEARCH CONCEPT "the password is hunter2hunter2"')
    kip.run('UPSERT { CONCEPT { {type: "Person", name: "Bo"} SET ATTRIBUTES { x: "flu", classification: "PHI" } } }')
    with entered(space):
        kept = [log.text for log in KipLog.objects.order_by("pk")]
    assert "hunter2hunter2" not in str(kept[0])
    assert kept[1] is None


def test_the_audit_holds_what_was_done_and_no_content(kip: Wired, space: Any) -> None:
    kip.result(PERSON)
    kip.result(FIND)
    with entered(space) as here:
        rows = list(AuditRow.objects.using(here.alias).filter(act__startswith="kip.").order_by("sequence"))
    acts = [row.act for row in rows if row.actor_kind == "seat"]
    assert acts == ["kip.write", "kip.read"]
    assert "Ada" not in str([row.stated for row in rows])


def test_what_takes_too_long_is_cut_short(kip: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "_SETTINGS", ("statement_timeout = '50ms'",))
    kip.result(FIND)
    many = "FIND(COUNT(?a)) WHERE { (?a, ?p, ?b) (?c, ?q, ?d) (?e, ?r, ?f) (?g, ?s, ?h) }"
    assert kip.error(many) == "KIP_4001"
    assert kip.status == 408
    assert kip.result(FIND) == []


def test_a_body_that_is_too_large_is_refused_in_the_form_of_kip(kip: Wired, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    assert kip.error("//" + "x" * 2_000) == "KIP_4002"
    assert kip.status == 413


def test_the_start_page_answers_a_kip_client(rf: Any) -> None:
    assert views.asks_for_name(rf.get("/", headers={"Accept": "application/json"}))
    assert not views.asks_for_name(rf.get("/", headers={"Accept": "text/html,application/json;q=0.9"}))
    assert b"1.0-RC11" in views.show_name(rf.get("/")).content


def test_a_person_names_a_scope_in_their_space(settings: Any, trio: Trio) -> None:
    settings.ROOT_URLCONF = "tests.kip.wired"
    teammate = Wired(trio.client("teammate"), "/api/v1/spaces/north/kip?scope=shared")
    assert teammate.result(PERSON)["blocks"] == 1
    assert teammate.result(FIND) == ["Ada"]
    nowhere = Wired(trio.client("teammate"), "/api/v1/spaces/north/kip")
    assert nowhere.error(FIND) == "KIP_1001"
    outsider = Client()
    outsider.force_login(make_user("outsider"))
    for address in ("/api/v1/spaces/north/kip?scope=shared", "/kip"):
        other = Wired(outsider, address)
        other.run(FIND)
        assert other.status == 404


def test_a_seat_without_the_verb_does_not_write(settings: Any, space: Any) -> None:
    settings.ROOT_URLCONF = "tests.kip.wired"
    token = make_seat_token(space, verbs=("memory:read",))
    reader = Wired(Client(headers={"Authorization": f"Bearer {token}"}))
    assert reader.error(PERSON) == "KIP_3004"
    assert reader.status == 403
    assert reader.result(FIND) == []


def test_scopes_do_not_see_one_another(settings: Any, kip: Wired, trio: Trio) -> None:
    kip.result(PERSON)
    (ada,) = kip.result('FIND(?p.id) WHERE { ?p {type: "Person", name: "Ada"} }')
    other = Wired(Client(headers={"Authorization": f"Bearer {make_seat_token(trio.space, scope=_scope(trio))}"}))
    for command in (
        FIND,
        "FIND(?p) WHERE { ?p {id: :ada} }",
        'SEARCH CONCEPT "Ada"',
        "EXPORT ?p WHERE { ?p {id: :ada} }",
    ):
        assert "Ada" not in str(other.result(command, **({"ada": ada} if ":ada" in command else {})))
    count = 'FIND(COUNT(?p)) WHERE { ?p {type: "Person"} }'
    assert kip.result(count) == other.result(count) + 1


def _scope(trio: Trio) -> Any:
    return make_scope(trio.space, "another", trio.teammate)
