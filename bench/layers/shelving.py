"""Books into scopes, two at a time: a process writes one, embeds it, and loads it into every scope that has it."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import django

PROCESSES = 2


def shelved(space_id: str, books: Mapping[int, Sequence[int]], a_scope: int) -> Iterator[int]:
    """Load each book (number → empty scopes) with so many fragments; the rows of each, as they are done."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), initializer=django.setup) as pool:
        waiting = [pool.submit(put_up, space_id, book, scopes, a_scope) for book, scopes in books.items()]
        for done in as_completed(waiting):
            yield done.result()


def put_up(space_id: str, number: int, scopes: Sequence[int], a_scope: int) -> int:
    """Write a book and load it into these scopes; returns how many rows that were."""
    from bench.layers.book import written  # Django is set up in this process only now
    from bench.layers.loading import load
    from common.times import now
    from memory.embedding import default_embedder
    from spaces.databases.entering import entered
    from spaces.models import Space

    embedder = default_embedder()
    book = written(number, a_scope, embedder)
    with entered(Space.objects.get(pk=space_id)):
        return sum(load(scope, book, embedder, now()) for scope in scopes)
