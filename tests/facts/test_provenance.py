"""Where a fact comes from and what rests on it, over REST: order, bounds, cycles, what is missing, what is withheld."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from spaces.databases.aliases import alias_of
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope
from tests.facts.rules.test_shared_cases import cases
from tests.rest.client import Rest, seat, stored


def walk(rest: Rest, fact_id: str, direction: str = "provenance", **query: Any) -> dict[str, Any]:
    answer = rest.get(f"facts/{fact_id}/{direction}", **query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def ids(found: dict[str, Any]) -> list[str]:
    return [node["id"] for node in found["chain"]]


def node(found: dict[str, Any], fact_id: str) -> dict[str, Any]:
    only: dict[str, Any]
    (only,) = [node for node in found["chain"] if node["id"] == fact_id]
    return only


def diamonds(layers: int, name: str = "d") -> list[dict[str, Any]]:
    """A root, so many layers of two facts of which each rests on both of the layer below, and a leaf."""
    made = [stored(f"{name}-leaf")]
    below = [f"fact:{name}-leaf"]
    for layer in range(layers):
        pair = [f"{name}-{layer}-{side}" for side in "ab"]
        made += [stored(one, derivedFrom=below) for one in pair]
        below = [f"fact:{one}" for one in pair]
    return [*made, stored(f"{name}-root", derivedFrom=below)]


@cases("provenance")
def test_the_shared_cases(rest: Rest, case: dict[str, Any]):
    params, expect = dict(case["params"]), case["expect"]
    if case["facts"]:
        rest.imported(*case["facts"])
    answer = rest.get(f"facts/{params.pop('id')}/provenance", **params)

    if "error" in expect:
        assert answer.status_code == 404
        return
    found = answer.json()
    if case["basis"] == "inferred":
        assert sorted(ids(found)) == sorted(expect["ids_in_order"])
    else:
        assert ids(found) == expect["ids_in_order"]
    assert [node["id"] for node in found["chain"] if node.get("missing")] == expect["missing"]
    assert found["cycle"] == expect.get("cycle", False)
    assert found["truncated"] == expect.get("truncated", False)
    if "weakest_confidence" in expect:
        assert found["weakest"]["effective_confidence"] == expect["weakest_confidence"]


def test_parents_come_in_their_own_order_then_what_was_superseded_then_the_rule(rest: Rest):
    assert rest.post("rules", {"@id": "rule:r", "name": "Add up", "text": "z and b", "version": 2}).status_code == 201
    rest.imported(
        stored("z"), stored("b", derivedFrom=["fact:far"]), stored("old"), stored("far"),
        stored("root", derivedFrom=["fact:z", "fact:b"], supersedes="fact:old", inference="rule:r"),
    )  # fmt: skip

    found = walk(rest, "fact:root")

    assert ids(found) == ["fact:root", "fact:z", "fact:b", "fact:old", "rule:r", "fact:far"]
    assert [node["depth"] for node in found["chain"]] == [0, 1, 1, 1, 1, 2]
    assert node(found, "rule:r")["rule"] == {"name": "Add up", "text": "z and b", "version": "2"}
    assert node(found, "fact:root")["edges"] == [
        {"kind": "derivedFrom", "to": "fact:z"},
        {"kind": "derivedFrom", "to": "fact:b"},
        {"kind": "supersedes", "to": "fact:old"},
        {"kind": "inference", "to": "rule:r"},
    ]


def test_a_rule_that_is_named_like_a_fact_is_not_taken_for_it(rest: Rest):
    rest.imported(
        stored("b", derivedFrom=["fact:deep"]),
        stored("deep"),
        stored("root", derivedFrom=["fact:b"], inference="fact:b"),
    )

    found = walk(rest, "fact:root")

    assert ids(found) == ["fact:root", "fact:b", "fact:b", "fact:deep"]
    assert [node.get("missing", False) for node in found["chain"]] == [False, False, True, False]
    assert found["chain"][2]["edges"] == []


def test_the_weakest_link_is_the_lowest_that_the_fact_rests_on(rest: Rest):
    rest.imported(
        stored("low", confidence=0.2), stored("mid", confidence=0.5, supersedes="fact:low"),
        stored("sure", confidence=1), stored("root", confidence=0.8, derivedFrom=["fact:sure", "fact:mid"]),
    )  # fmt: skip

    found = walk(rest, "fact:root")

    assert "fact:low" in ids(found)
    assert found["weakest"] == {"id": "fact:mid", "effective_confidence": 0.5}
    assert [(path["ids"], path["product"]) for path in found["paths"]] == [
        (["fact:root", "fact:sure"], pytest.approx(0.8)),
        (["fact:root", "fact:mid"], pytest.approx(0.4)),
    ]


def test_confidence_is_judged_at_the_instant_of_the_walk(rest: Rest):
    rest.imported(stored("a", confidence=0.8, decay="0.5/31d"), stored("root", derivedFrom=["fact:a"]))

    assert walk(rest, "fact:root", as_of="2026-02-01T00:00:00Z")["weakest"]["effective_confidence"] == pytest.approx(
        0.4
    )


def test_a_parent_is_missing_before_it_was_known_and_a_superseder_unknown(rest: Rest):
    rest.imported(
        stored("late", recordedAt="2026-03-01T00:00:00Z", derivedFrom=["fact:behind"]), stored("behind"),
        stored("old"), stored("root", derivedFrom=["fact:old", "fact:late"]),
        stored("new", supersedes="fact:old", recordedAt="2026-03-01T00:00:00Z"),
    )  # fmt: skip

    before, after = (walk(rest, "fact:root", as_of=at) for at in ("2026-02-01T00:00:00Z", "2026-04-01T00:00:00Z"))

    assert ids(before) == ["fact:root", "fact:old", "fact:late"]
    assert node(before, "fact:late")["missing"] is True
    assert node(before, "fact:old")["superseded_by"] is None
    assert ids(after) == ["fact:root", "fact:old", "fact:late", "fact:behind"]
    assert node(after, "fact:old")["superseded_by"] == "fact:new"


def test_a_depth_of_nothing_shows_the_fact_alone_and_says_that_there_is_more(rest: Rest):
    rest.imported(stored("a"), stored("root", derivedFrom=["fact:a"]))

    found = walk(rest, "fact:root", max_depth=0)
    assert (ids(found), found["truncated"], found["depth"]) == (["fact:root"], True, 0)
    assert walk(rest, "fact:a", max_depth=0)["truncated"] is False
    assert rest.get("facts/fact:root/provenance", max_depth=65).status_code == 400
    assert rest.get("facts/fact:root/provenance", max_depth=-1).status_code == 400


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({"a": ["a"]}, ["fact:a"]),
        ({"a": ["b"], "b": ["c"], "c": ["a", "b"]}, ["fact:a", "fact:b", "fact:c"]),
    ],
)
def test_a_cycle_ends_and_is_said(rest: Rest, links: dict[str, list[str]], expected: list[str]):
    rest.imported(*(stored(name, derivedFrom=[f"fact:{end}" for end in ends]) for name, ends in links.items()))

    for direction in ("provenance", "derived"):
        found = walk(rest, "fact:a", direction, max_depth=64)
        assert sorted(ids(found)) == expected
        assert (found["cycle"], found["truncated"]) == (True, False)


def test_a_diamond_is_no_cycle_and_each_of_its_nodes_comes_once(rest: Rest):
    rest.imported(*diamonds(50))

    found = walk(rest, "fact:d-root", max_depth=64)

    assert len(ids(found)) == len(set(ids(found))) == 102
    assert (found["cycle"], found["truncated"], found["depth"]) == (False, False, 51)
    # 2^50 paths lead to the leaf: some are shown, and it is not tried to find them all.
    assert len(found["paths"]) == 50
    assert ids(walk(rest, "fact:d-leaf", "derived", max_depth=64))[-1] == "fact:d-root"


def test_what_everything_was_derived_from_is_shown_in_part_and_says_so(rest: Rest):
    rest.imported(stored("trunk"), *(stored(f"leaf-{n}", derivedFrom=["fact:trunk"]) for n in range(600)))

    found = walk(rest, "fact:trunk", "derived")

    assert len(ids(found)) == 500
    assert found["truncated"] is True
    assert not any(node.get("missing") for node in found["chain"])


def test_facts_of_very_many_parents_that_name_each_other_are_walked_within_bounds(rest: Rest):
    names = [f"fact:n{n}" for n in range(300)]
    rest.imported(*(stored(f"n{n}", derivedFrom=names) for n in range(300)))

    found = walk(rest, "fact:n0", max_depth=64)

    assert sorted(ids(found)) == sorted(names)
    assert (found["cycle"], found["truncated"]) == (True, True)
    assert sum(len(node["edges"]) for node in found["chain"]) == 5_000


def test_more_parents_than_can_be_shown_are_cut_off_in_their_order_and_none_of_them_looks_missing(rest: Rest):
    parents = [f"p{n:03}" for n in reversed(range(700))]
    rest.imported(*(stored(name) for name in parents), stored("root", derivedFrom=[f"fact:{name}" for name in parents]))

    found = walk(rest, "fact:root")

    assert ids(found) == ["fact:root", *(f"fact:{name}" for name in parents[:499])]
    assert found["truncated"] is True
    assert not any(node.get("missing") for node in found["chain"])


def test_what_rests_on_a_fact_is_walked_forward_and_over_derivation_alone(rest: Rest):
    rest.imported(
        stored("source"), stored("one", derivedFrom=["fact:source"]), stored("two", derivedFrom=["fact:one", "fact:x"]),
        stored("later", derivedFrom=["fact:source"], recordedAt="2026-03-01"),
        stored("instead", supersedes="fact:source"),
    )  # fmt: skip

    found = walk(rest, "fact:source", "derived")

    assert ids(found) == ["fact:source", "fact:later", "fact:one", "fact:two"]
    assert node(found, "fact:one")["edges"] == [{"kind": "derivedFrom", "to": "fact:two"}]
    assert ids(walk(rest, "fact:source", "derived", max_depth=1)) == ["fact:source", "fact:later", "fact:one"]
    assert walk(rest, "fact:source", "derived", max_depth=1)["truncated"] is True
    assert walk(rest, "fact:source", "derived", max_depth=2)["truncated"] is False
    assert "fact:later" not in ids(walk(rest, "fact:source", "derived", as_of="2026-02-01T00:00:00Z"))


def test_a_walk_stays_in_the_scope_of_its_root(trio: Trio):
    mine = seat(trio.space)
    other = seat(trio.space, scope=make_scope(trio.space, "second"))
    mine.imported(stored("root", derivedFrom=["fact:shared-name"]))
    other.imported(stored("shared-name", statement="of another scope"))
    owner = Rest(governing_client(trio.owner))

    found = walk(owner, "fact:root", scope="*")

    assert node(found, "fact:shared-name")["missing"] is True


@pytest.fixture
def chain(trio: Trio) -> Rest:
    """root ← middle (PHI of patient:1, for care) ← source; and `top`, which rests on the middle too."""
    rest = seat(trio.space, purposes=["care", "billing"])
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    phi = {"classification": "PHI", "consent": "consent:c", "subject": "patient:1"}
    rest.imported(
        stored("source"), stored("middle", derivedFrom=["fact:source"], confidence=0.1, **phi),
        stored("root", derivedFrom=["fact:middle", "fact:never"]),
    )  # fmt: skip
    return rest


def test_a_withheld_parent_looks_exactly_like_a_missing_one(chain: Rest):
    for purpose in (None, "billing", "marketing"):
        found = walk(chain, "fact:root", purpose=purpose)
        assert ids(found) == ["fact:root", "fact:middle", "fact:never"]
        withheld, missing = (node(found, name) for name in ("fact:middle", "fact:never"))
        assert {**withheld, "id": ""} == {**missing, "id": ""} == {"id": "", "depth": 1, "missing": True, "edges": []}
        assert found["weakest"]["id"] == "fact:root"
        assert [path["ids"] for path in found["paths"]] == []
    assert chain.get("facts/fact:middle/provenance").status_code == 404
    assert ids(walk(chain, "fact:source", "derived")) == ["fact:source"]
    assert walk(chain, "fact:source", "derived")["truncated"] is False


def test_with_a_purpose_that_the_consent_covers_the_chain_is_whole(chain: Rest):
    found = walk(chain, "fact:root", purpose="care")

    assert ids(found) == ["fact:root", "fact:middle", "fact:never", "fact:source"]
    assert found["weakest"] == {"id": "fact:middle", "effective_confidence": 0.1}
    assert ids(walk(chain, "fact:source", "derived", purpose="care")) == ["fact:source", "fact:middle", "fact:root"]


def test_a_role_that_governs_is_told_what_is_redacted_and_why(chain: Rest, trio: Trio):
    owner, teammate = Rest(governing_client(trio.owner)), Rest(trio.client("teammate"))

    def told(caller: Rest, **query: str) -> dict[str, Any]:
        return node(walk(caller, "fact:root", scope="shared", **query), "fact:middle")

    assert told(owner) == {
        "id": "fact:middle", "depth": 1, "redacted": True, "reason": "PHI: no purpose stated", "edges": [],
    }  # fmt: skip
    assert told(owner, purpose="billing")["reason"] == "PHI: consent:c does not cover billing"
    assert told(teammate)["missing"] is True
    never = node(walk(owner, "fact:root", scope="shared"), "fact:never")
    assert never["missing"] is True


def test_what_was_not_known_yet_is_missing_also_for_a_role_that_governs(trio: Trio):
    rest = seat(trio.space)
    rest.imported(
        stored("root", derivedFrom=["fact:plain", "fact:phi"]), stored("plain", recordedAt="2026-03-01T00:00:00Z"),
        stored("phi", classification="PHI", consent="consent:none", recordedAt="2026-03-01T00:00:00Z"),
    )  # fmt: skip
    owner = Rest(governing_client(trio.owner))

    before = walk(owner, "fact:root", scope="shared", as_of="2026-02-01T00:00:00Z")
    after = walk(owner, "fact:root", scope="shared")

    assert [node.get("missing") for node in before["chain"]] == [None, True, True]
    assert node(after, "fact:phi")["reason"] == "PHI: its consent consent:none is not recorded"


def test_only_the_phi_that_is_shown_is_recorded_as_read(chain: Rest, trio: Trio):
    def reads() -> int:
        with connections[alias_of(trio.space.pk)].cursor() as cursor:
            cursor.execute("select count(*) from audit_row where act = 'phi.read'")
            return int(cursor.fetchone()[0])

    walk(chain, "fact:root", purpose="care", max_depth=0)
    assert reads() == 0
    walk(chain, "fact:root", purpose="care")
    assert reads() == 1


@pytest.fixture
def statements(trio: Trio) -> Callable[[Rest, str], int]:
    """How many statements a walk sends to the Space's database."""

    def count(rest: Rest, fact_id: str) -> int:
        sent: list[str] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            sent.append(sql)
            return execute(sql, params, many, context)

        with connections[alias_of(trio.space.pk)].execute_wrapper(note):
            walk(rest, fact_id, max_depth=64)
        return len(sent)

    return count


def test_a_deep_walk_sends_no_more_statements_than_a_flat_one(trio: Trio, statements: Callable[[Rest, str], int]):
    rest = seat(trio.space)
    rest.imported(*diamonds(2, "small"), *diamonds(30, "deep"))

    assert statements(rest, "fact:small-root") == statements(rest, "fact:deep-root")
