"""The page of rules that facts were inferred by."""

from typing import Any

from django.test import Client

from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, stored

ID = "urn:rules/sum?v=2"
RULE = {"@id": ID, "name": "Add <b>up</b>", "text": "a and b give c", "version": 2}


def shown(client: Client, **query: Any) -> Page:
    return page_of(client.get("/spaces/north/rules", {"scope": "shared", **query}))


def test_rules_are_listed_with_text_version_and_how_many_facts_they_gave(teammate: Client, rest: Rest):
    assert rest.post("rules", RULE).status_code == 201
    assert rest.post("rules", {"@id": "rule:idle"}).status_code == 201
    rest.imported(stored("a", inference=ID), stored("b", inference=ID, supersedes="fact:a"))

    page = shown(teammate)

    assert [row[:4] for row in page.rows[1:]] == [
        ["rule:idle", "none", "none", "0"],
        ["Add <b>up</b> urn:rules/sum?v=2", "a and b give c", "2", "2"],
    ]
    facts = page_of(teammate.get("/spaces/north/rules" + page.links["2"]))
    assert "Inferred by urn:rules/sum?v=2" in facts.text
    assert "rule=urn%3Arules%2Fsum%3Fv%3D2" in page_of(teammate.get(facts.links["this is b"])).links[ID]


def test_a_rule_that_gave_nothing_or_is_not_kept_says_so(teammate: Client, rest: Rest):
    assert "No fact that you may see was inferred by it." in shown(teammate, rule="rule:none").text
    assert "No rules yet" in shown(teammate).text
    assert shown(teammate, rules="x").status == 400


def test_a_stranger_finds_no_rules(stranger: Client, rest: Rest):
    assert shown(stranger).status == 404
