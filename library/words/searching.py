"""Finding files by their names and by what they say."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from common.text import lexemes
from library.models import LibraryFile
from library.words.marking import Part, marked, part_of_name
from library.words.vectors import query_of

MOST_RANKED = 2_000
_MOST_WORDS = 20
_AROUND = 240
_WORD = re.compile(r"\w+")

# A name says what its file is about: it counts for more than any number of words in it, whose rank is less than 1.
# Names are few bytes: reading them all takes less than an index of all their parts would.
_FOUND = """
with said as materialized (
    select blob_id, ts_rank(search, %(query)s::tsquery, 1) as rank
    from library_blobtext where search @@ %(query)s::tsquery limit %(most)s
)
select file.id, coalesce(said.rank, 0) + case when file.path ilike all(%(names)s) then 1 else 0 end as rank
from library_libraryfile file left join said using (blob_id)
where file.deleted_at is null and (said.blob_id is not null or file.path ilike all(%(names)s))
order by rank desc, file.path, file.id limit %(limit)s offset %(offset)s
"""
_AROUND_HITS = """
select blob_id, substr(text, greatest(place - %(before)s, 1), %(length)s)
from library_blobtext cross join lateral (
    select coalesce(min(nullif(strpos(lower(text), word), 0)), 1) as place from unnest(%(words)s::text[]) word
) hit
where blob_id = any(%(blobs)s)
"""


@dataclass(frozen=True)
class Hit:
    """A file that was found, and the text around the first word of the query in it; empty for one found by its name."""

    file: LibraryFile
    rank: float
    around: str
    parts: list[Part]


@dataclass(frozen=True)
class Found:
    """One page of what was found, the best first; `more` when there is another."""

    hits: list[Hit]
    more: bool


def search_files(text: str, *, page: int = 1, limit: int = 50) -> Found:
    """The live files whose names, or whose contents, have all words of `text`.

    Of more than 2,000 contents that match, 2,000 are ranked.
    """
    words = _WORD.findall(text)[:_MOST_WORDS]
    wanted = list(dict.fromkeys(lexeme for word in words for lexeme in lexemes(word)))
    names = [_pattern(_in_name(word)) for word in words] or [_pattern(text.strip())]
    values: dict[str, Any] = {
        "query": query_of(wanted),
        "names": names,
        "most": MOST_RANKED,
        "limit": limit + 1,
        "offset": (page - 1) * limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FOUND, values)
        ranks: list[tuple[uuid.UUID, float]] = cursor.fetchall()
    files = LibraryFile.objects.select_related("blob").in_bulk([key for key, _ in ranks[:limit]])
    around = _around([file.blob_id for file in files.values()], wanted)
    hits = [_hit(files[key], rank, around, set(wanted)) for key, rank in ranks[:limit] if key in files]
    return Found(hits, len(ranks) > limit)


def _around(blobs: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """The text around the first hit, by content."""
    words = [lexeme.removesuffix("i") or lexeme for lexeme in wanted]
    values: dict[str, Any] = {"blobs": list(blobs), "words": words, "before": _AROUND // 3, "length": _AROUND}
    with connection.cursor() as cursor:
        cursor.execute(_AROUND_HITS, values)
        return dict(cursor.fetchall())


def _hit(file: LibraryFile, rank: float, around: Mapping[str, str], wanted: set[str]) -> Hit:
    text = " ".join(around.get(file.blob_id, "").split())
    return Hit(file, float(rank), text, marked(text, wanted))


def _in_name(word: str) -> str:
    stems = lexemes(word)
    return part_of_name(word, stems[0]) if len(stems) == 1 else word


def _pattern(part: str) -> str:
    """A pattern of ILIKE for whatever has this part."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", part) + "%"
