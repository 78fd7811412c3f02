"""The decay pass against a model of it in Python, with a clock of our own."""

import random
import threading
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connections, transaction

from audit.models import AuditRow
from common.errors import Conflict, NotFound
from memory.layers import decay
from memory.layers.decay import approve_pass, counts_at, decay_due, decay_tick, next_pass_at, refuse_pass, undo_pass
from memory.layers.elements import run_sql
from memory.layers.models import DecayPass, NodeIndex, NodeStrength, Reinforcement, ScopeStat
from memory.layers.reinforcing import recall_fragments
from memory.layers.rules.strength import Strength, effective, recalled
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted
from spaces.models import Space
from tests.layers.remembered import days

BEGIN = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)
THRESHOLDS = {1: 0.05, 2: 0.02}


def many(space, layer, count, *, score=1.0, at=BEGIN, tau=14.0):
    """`count` live memories of a layer without words, made in one statement; returns their ids."""
    with entered(space):
        scope = space.scopes.order_by("pk")[0].pk
        rows = run_sql(
            "with made as (insert into node (scope, layer, type, name, text, attributes, metadata, version, formed_at)"
            "  select %(scope)s, %(layer)s, 'Fragment', %(layer)s || ' ' || i || ' ' || random(), '', '{}', '{}',"
            "   1, %(at)s from generate_series(1, %(count)s) i returning id, scope, layer),"
            " strong as (insert into node_strength (node, scope, layer, pinned, score, tau, scored_at)"
            "  select id, scope, layer, false, %(score)s, %(tau)s, %(at)s from made),"
            " indexed as (insert into node_index (node, scope, layer, length, search)"
            "  select id, scope, layer, 30, '' from made)"
            " select id from made order by id",
            {"scope": scope, "layer": layer, "count": count, "score": score, "at": at, "tau": tau},
        )
        run_sql(
            "insert into scope_stat (scope, rows, length, counted, embedder, dimensions)"
            " values (%(scope)s, %(count)s, %(count)s * 30, 0, '', 0) on conflict (scope) do update"
            " set rows = scope_stat.rows + excluded.rows, length = scope_stat.length + excluded.length",
            {"scope": scope, "count": count},
        )
        return [row[0] for row in rows]


def passed(space, at):
    with entered(space):
        return decay_due(space, at)


def archived(space):
    with entered(space):
        return set(NodeStrength.objects.exclude(archived_at=None).values_list("pk", flat=True))


def test_sixty_days_archive_exactly_what_the_formulas_say(north):
    clock, choose = BEGIN, random.Random(7)
    Space.objects.filter(pk=north.pk).update(zone="Europe/Lisbon")
    north.refresh_from_db()
    zone = ZoneInfo(north.zone)
    model: dict[int, tuple[int, Strength]] = {}
    gone: dict[int, datetime] = {}
    passes: list[tuple[date, str]] = []
    for layer, tau in ((1, 14.0), (2, 45.0)):
        for number in range(40):
            score = choose.uniform(0.02, 1)
            for node in many(north, layer, 1, score=score, tau=tau, at=BEGIN - days(number / 8)):
                model[node] = (layer, Strength(score, tau, BEGIN - days(number / 8)))
    scope = north.scopes.get().pk
    last = None
    while clock < BEGIN + days(60):
        today = clock.astimezone(zone).date()
        expected: set[int] = set()
        if last is not None and today > last:
            expected = {
                node
                for node, (layer, strength) in model.items()
                if node not in gone and effective(strength, clock) < THRESHOLDS[layer]
            }
        done = passed(north, clock)
        if last is None or today > last:
            passes.append((today, done.state))
            last = today
        else:
            assert done is None
        gone |= dict.fromkeys(expected, clock)
        with entered(north):
            live = sorted(set(model) - set(gone))
            assert archived(north) == set(gone)
            assert sorted(NodeIndex.objects.values_list("pk", flat=True)) == live
            stat = ScopeStat.objects.get(scope=scope)
            assert (stat.rows, stat.length) == (len(live), 30 * len(live))
        some = choose.sample(live, k=min(len(live), 2))
        with entered(north):
            recall_fragments(scope, some, clock, base_tau=14.0, actor="seat:1")
        for node in some:
            layer, strength = model[node]
            if layer == 1:
                model[node] = (layer, recalled(strength, clock, base_tau=14.0))
        clock += timedelta(hours=choose.choice([1, 5, 11, 30, 53]))
    assert passes[0][1] == "first"
    assert {state for _, state in passes[1:]} == {"done"}
    assert 20 < len(gone) < len(model)
    with entered(north):
        for node, row in NodeStrength.objects.in_bulk().items():
            strength = model[node][1]
            assert row.score == pytest.approx(strength.score)
            assert (row.tau, row.scored_at) == (strength.tau, strength.scored_at)
            assert row.archived_at == gone.get(node)


def test_the_first_date_of_a_space_counts_as_done(north):
    many(north, 1, 3, score=0.01)
    assert passed(north, BEGIN).state == "first"
    assert archived(north) == set()
    assert passed(north, BEGIN + days(1)).archived == {"1": 3}


def test_a_pass_that_comes_late_or_twice_changes_nothing(north):
    passed(north, BEGIN)
    nodes = many(north, 1, 4, score=0.01)
    first = passed(north, BEGIN + days(9))
    assert (first.date, first.archived) == (date(2026, 3, 29), {"1": 4})
    later = many(north, 1, 2, score=0.01)
    for again in (0, 1, 3600, -86_400, -40 * 86_400):
        assert passed(north, BEGIN + days(9) + timedelta(seconds=again)) is None
    assert archived(north) == set(nodes)
    assert passed(north, BEGIN + days(10)).archived == {"1": 2}
    assert archived(north) == {*nodes, *later}
    with entered(north):
        assert DecayPass.objects.count() == 3
        assert NodeStrength.objects.exclude(score=0.01).count() == 0


def test_a_pinned_memory_and_a_concept_stay(north):
    passed(north, BEGIN)
    pinned = many(north, 1, 1, score=0.01)
    concepts = many(north, 3, 2, score=0.01)
    with entered(north):
        NodeStrength.objects.filter(pk__in=pinned).update(pinned=True)
    assert passed(north, BEGIN + days(400)).archived == {}
    assert archived(north).isdisjoint({*pinned, *concepts})


def test_what_is_being_strengthened_at_this_moment_is_left_for_the_next_date(committed_db, new_space):
    space = new_space("north")
    passed(space, BEGIN)
    held, other = many(space, 1, 2, score=0.01)
    locked, release = threading.Event(), threading.Event()

    def hold():
        with entered(space) as here, transaction.atomic(using=here.alias):
            run_sql("select 1 from node_strength where node = %(node)s for update", {"node": held})
            locked.set()
            release.wait(20)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(20)
    assert passed(space, BEGIN + days(1)).archived == {"1": 1}
    assert archived(space) == {other}
    release.set()
    holder.join()
    assert passed(space, BEGIN + days(2)).archived == {"1": 1}
    assert archived(space) == {held, other}


def test_workers_that_come_at_once_make_one_pass(committed_db, new_space):
    space = new_space("north")
    passed(space, BEGIN)
    many(space, 1, 30, score=0.01)
    barrier, results = threading.Barrier(4), []

    def run():
        barrier.wait()
        results.append(passed(space, BEGIN + days(1)))
        connections.close_all()

    workers = [threading.Thread(target=run) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(result is not None for result in results) == [False, False, False, True]
    with entered(space) as here:
        assert DecayPass.objects.count() == 2
        assert NodeIndex.objects.count() == 0
        assert ScopeStat.objects.get().rows == 0
        assert AuditRow.objects.using(here.alias).filter(act="decay.pass").count() == 2


@pytest.mark.parametrize("step", ["_FLAG", "_UNINDEX"])
def test_a_pass_that_is_killed_in_the_middle_leaves_nothing_and_is_made_again(north, monkeypatch, step):
    passed(north, BEGIN)
    many(north, 1, 5, score=0.01)
    whole = getattr(decay, step)
    monkeypatch.setattr(decay, step, f"{whole}; select pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(Exception, match=r"out of reach|terminat|closed"):
        passed(north, BEGIN + days(1))
    monkeypatch.setattr(decay, step, whole)
    assert archived(north) == set()
    with entered(north):
        assert NodeIndex.objects.count() == 5
    assert passed(north, BEGIN + days(1)).archived == {"1": 5}


class TestAskingFirst:
    """A pass that would take more than half of a layer, and a hundred or more."""

    def stopped(self, space):
        passed(space, BEGIN)
        nodes = many(space, 1, 120, score=0.01)
        many(space, 1, 30, score=0.9)
        events = many(space, 2, 5, score=0.01, tau=45.0)
        row = passed(space, BEGIN + days(1))
        assert (row.state, row.archived) == ("stopped", {"1": 120, "2": 5})
        assert archived(space) == set()
        return row.date, {*nodes, *events}

    def test_goes_on_when_a_person_approves(self, north):
        day, going = self.stopped(north)
        at = BEGIN + days(1.2)
        with entered(north):
            row = attempted(lambda act: approve_pass(act, SYSTEM_CALLER, day, at))
            assert (row.state, row.archived, row.decided_by, row.at) == ("done", {"1": 120, "2": 5}, "system:kndl", at)
        assert archived(north) == going
        with entered(north), pytest.raises(Conflict, match="does not wait"):
            attempted(lambda act: approve_pass(act, SYSTEM_CALLER, day, at))

    def test_takes_nothing_when_a_person_refuses_and_asks_again_on_the_next_date(self, north):
        day, _ = self.stopped(north)
        with entered(north):
            assert attempted(lambda act: refuse_pass(act, SYSTEM_CALLER, day, BEGIN + days(1.2))).state == "refused"
        assert passed(north, BEGIN + days(1.5)) is None
        assert passed(north, BEGIN + days(2)).state == "stopped"
        assert archived(north) == set()

    def test_is_not_made_up_for_when_a_later_date_has_come(self, north):
        day, _ = self.stopped(north)
        passed(north, BEGIN + days(2))
        with entered(north), pytest.raises(Conflict, match="later date"):
            attempted(lambda act: approve_pass(act, SYSTEM_CALLER, day, BEGIN + days(2)))

    def test_of_a_date_that_never_was_is_not_found(self, north):
        with entered(north), pytest.raises(NotFound):
            attempted(lambda act: approve_pass(act, SYSTEM_CALLER, date(2020, 1, 1), BEGIN))


def test_undoing_a_pass_restores_exactly_what_it_archived(remembered, north):
    passed(north, BEGIN)
    earlier = remembered.fragment("The heron came back to the pond", score=0.01, at=BEGIN)
    assert passed(north, BEGIN + days(1)).archived == {"1": 1}
    one = remembered.fragment("The lighthouse keeper plays the cello", score=0.01, at=BEGIN)
    other = remembered.fragment("The bakery opens at six", score=0.03, at=BEGIN)
    strong = remembered.fragment("The ferry leaves at noon", at=BEGIN + days(1))
    row = passed(north, BEGIN + days(2))
    assert archived(north) == {earlier, one, other}
    at = BEGIN + days(2.1)
    with entered(north):
        assert attempted(lambda act: undo_pass(act, SYSTEM_CALLER, row.date, at)).state == "undone"
        kinds = Reinforcement.objects.filter(kind="undone").values_list("node", flat=True)
        assert sorted(kinds) == [one, other]
    assert archived(north) == {earlier}
    assert [remembered.is_indexed(node) for node in (earlier, one, other, strong)] == [False, True, True, True]
    restored = remembered.strength(one)
    assert (restored.score, restored.scored_at) == (0.5, at)
    with entered(north), pytest.raises(Conflict):
        attempted(lambda act: undo_pass(act, SYSTEM_CALLER, row.date, at))
    assert passed(north, BEGIN + days(3)).archived == {}


def test_what_the_next_pass_takes_is_counted_as_the_pass_counts(north):
    passed(north, BEGIN)
    many(north, 1, 7, score=0.04)
    many(north, 1, 5, score=0.9)
    many(north, 2, 3, score=0.0201, tau=45.0)
    with entered(north):
        at = next_pass_at(north, BEGIN)
        assert at == datetime(2026, 3, 21, tzinfo=UTC)
        counts = {layer: (count.live, count.going) for layer, count in counts_at(at).items()}
    assert counts == {1: (12, 7), 2: (3, 3)}
    assert passed(north, at).archived == {"1": 7, "2": 3}


def test_the_tick_comes_back_when_the_next_date_begins(north):
    Space.objects.filter(pk=north.pk).update(zone="Pacific/Auckland", next_due_at=None)
    with entered(north):
        decay_tick()
        assert DecayPass.objects.get().state == "first"
    due = Space.objects.get(pk=north.pk).next_due_at.astimezone(ZoneInfo("Pacific/Auckland"))
    assert (due.hour, due.minute, due.second) == (0, 0, 0)
