"""The store of connections: bounded, fair, and never lending a dead one."""

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from kndl_site.embedded import EmbeddedServer, connection_parameters, superuser_connection
from spaces.databases.store import Connection, ConnectionStore, StoreExhausted

Connect = Callable[[], Connection]


@pytest.fixture
def connect(embedded_server: EmbeddedServer, data_dir: Path) -> Connect:
    """A new connection of the application."""
    return lambda: psycopg.connect(**connection_parameters(data_dir, "app"), autocommit=True)


@pytest.fixture
def store() -> Iterator[ConnectionStore]:
    """A store of two, whose borrowers wait a fifth of a second."""
    made = ConnectionStore(2, wait_seconds=0.2)
    yield made
    made.close_idle(older_than=-1)


def pid(connection: Connection) -> int:
    return connection.info.backend_pid


def never() -> Connection:
    raise AssertionError("a new connection was opened")


def test_a_connection_that_was_given_back_is_lent_again_to_whoever_comes_next(store, connect):
    first = store.borrow("a", connect)
    store.give_back("a", first)
    assert store.borrow("a", never) is first
    store.give_back("a", first)
    with ThreadPoolExecutor(1) as other_thread:
        assert other_thread.submit(store.borrow, "a", never).result() is first
    store.discard(first)


def test_connections_of_another_key_are_never_lent(store, connect):
    first = store.borrow("a", connect)
    store.give_back("a", first)
    other = store.borrow("b", connect)
    assert other is not first
    store.give_back("b", other)


def test_no_more_than_the_limit_are_open_and_waiting_ends_with_a_word(store, connect):
    lent = [store.borrow("a", connect) for _ in range(2)]
    with pytest.raises(StoreExhausted, match="all 2 database connections are in use"):
        store.borrow("a", never)
    assert store.open_connections == 2
    for connection in lent:
        store.give_back("a", connection)
    assert store.open_connections == 2


def test_a_borrower_who_waits_is_given_the_next_that_comes_back(store, connect):
    store.wait_seconds = 10
    lent = [store.borrow("a", connect) for _ in range(2)]
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(store.borrow, "a", never)
        time.sleep(0.05)
        assert not waiting.done()
        store.give_back("a", lent[0])
        assert waiting.result(5) is lent[0]
    for connection in lent:
        store.give_back("a", connection)


def test_those_who_wait_are_served_in_the_order_in_which_they_came(store, connect):
    store.wait_seconds = 10
    lent = [store.borrow("a", connect) for _ in range(2)]
    order: list[int] = []

    def borrower(number: int) -> None:
        connection = store.borrow("a", connect)
        order.append(number)
        store.give_back("a", connection)

    threads = [threading.Thread(target=borrower, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
        time.sleep(0.02)
    store.give_back("a", lent[0])
    for thread in threads:
        thread.join(5)
    assert order == [0, 1, 2, 3, 4]
    store.give_back("a", lent[1])


def test_an_idle_connection_of_another_key_makes_room(store, connect):
    idle = [store.borrow("a", connect) for _ in range(2)]
    for connection in idle:
        store.give_back("a", connection)
    wanted = store.borrow("b", connect)
    assert idle[0].closed
    assert not idle[1].closed, "the one that was unused for longest goes"
    assert store.open_connections == 2
    store.give_back("b", wanted)


def test_a_connection_whose_server_ended_it_is_replaced_before_it_is_lent(store, connect, data_dir):
    first = store.borrow("a", connect)
    ended = pid(first)
    store.give_back("a", first)
    with superuser_connection(data_dir) as superuser:
        superuser.execute("select pg_terminate_backend(%s, 5000)", [ended])
    second = store.borrow("a", connect)
    assert pid(second) != ended
    assert second.execute("select 1").fetchone() == (1,)
    store.give_back("a", second)


def test_a_connection_that_breaks_while_it_is_checked_is_replaced(store, connect, data_dir):
    first = store.borrow("a", connect)
    store.give_back("a", first)

    def check(connection: Connection) -> None:
        if connection is first:
            with superuser_connection(data_dir) as superuser:
                superuser.execute("select pg_terminate_backend(%s, 5000)", [pid(first)])
        connection.execute("select 1")

    second = store.borrow("a", connect, check)
    assert second is not first
    store.give_back("a", second)


def test_a_connection_that_does_not_pass_its_check_is_closed_and_leaves_its_place(store, connect):
    seen: list[Connection] = []

    def refuse(connection: Connection) -> None:
        seen.append(connection)
        raise psycopg.OperationalError("not yours")

    for _ in range(3):
        with pytest.raises(psycopg.OperationalError, match="not yours"):
            store.borrow("a", connect, refuse)
    assert all(connection.closed for connection in seen)
    assert store.open_connections == 0


def test_a_connection_that_cannot_be_opened_leaves_its_place(store, connect):
    def fail() -> Connection:
        raise psycopg.OperationalError("no server")

    for _ in range(3):
        with pytest.raises(psycopg.OperationalError, match="no server"):
            store.borrow("a", fail)
    assert store.open_connections == 0


def test_an_open_transaction_does_not_outlive_its_borrower(store, connect):
    first = store.borrow("a", connect)
    first.autocommit = False
    first.execute("create temporary table left_behind (n int)")
    store.give_back("a", first)
    again = store.borrow("a", never)
    assert again.execute("select to_regclass('left_behind')").fetchone() == (None,)
    store.discard(again)


def test_connections_that_nobody_used_for_a_while_are_closed(connect):
    at = 0.0
    store = ConnectionStore(3, idle_seconds=60, clock=lambda: at)
    for connection in [store.borrow("a", connect), store.borrow("a", connect)]:
        store.give_back("a", connection)
    at = 59
    kept = store.borrow("a", never)
    store.give_back("a", kept)
    at = 61
    assert store.close_idle() == 1
    assert not kept.closed
    assert store.close_idle(older_than=0) == 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_thread_that_ends_with_its_connection_does_not_take_its_place_with_it(store, connect):
    for _ in range(5):
        thread = threading.Thread(target=lambda: store.borrow("a", connect).execute("select 1"))
        thread.start()
        thread.join()
        gc.collect()
    assert store.open_connections == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_its_own_and_leaves_its_parents_alone(store, connect):
    first = store.borrow("a", connect)
    store.give_back("a", first)
    child = os.fork()
    if child == 0:
        store.begin_after_fork()
        mine = store.borrow("a", connect)
        store.close_idle(older_than=-1)
        os._exit(0 if pid(mine) != pid(first) and not first.closed else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.borrow("a", never).execute("select 1").fetchone() == (1,)
    store.discard(first)


def test_many_threads_over_many_keys_never_open_too_many_nor_share_one(connect):
    store = ConnectionStore(4, wait_seconds=30)
    in_use: set[int] = set()
    most = 0
    lock = threading.Lock()

    def work(number: int) -> None:
        nonlocal most
        for step in range(25):
            key = (number + step) % 3
            connection = store.borrow(key, connect)
            with lock:
                assert pid(connection) not in in_use
                in_use.add(pid(connection))
                most = max(most, store.open_connections)
            connection.execute("select 1")
            with lock:
                in_use.remove(pid(connection))
            if (number * 25 + step) % 40 == 0:
                store.discard(connection)
            else:
                store.give_back(key, connection)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(16)))
    assert most <= 4
    store.close_idle(older_than=-1)
    assert store.open_connections == 0
