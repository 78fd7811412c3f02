"""The geometry of a tree of provenance: boxes that stand clear of each other, and lines that reach them."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.tree_drawing import (
    BOX_HEIGHT,
    BOX_WIDTH,
    MARGIN,
    TEXT_WIDTH,
    Box,
    Drawing,
    Joint,
    cut,
    drawing,
)

WORDS = ("derived", "supersedes", "rule")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[str, int]], list[Joint]]:
    """Nodes breadth first, as a walk meets them, and joints between any of them, backwards and to themselves too."""
    layers = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12))
    nodes = [(f"n{depth}-{place}", depth) for depth, size in enumerate([1, *layers]) for place in range(size)]
    keys = st.sampled_from([key for key, _ in nodes])
    joints = st.lists(st.builds(Joint, keys, keys, st.sampled_from(WORDS)), max_size=60)
    return nodes, draw(joints)


def numbers(path: str) -> list[tuple[int, int]]:
    """The points of a path: its start, two that bend it, its end."""
    found = [int(number) for number in re.findall(r"-?\d+", path)]
    return list(zip(found[::2], found[1::2], strict=True))


def sides(box: Box) -> set[int]:
    return {box.x, box.right}


@given(graphs())
def test_no_box_touches_another(graph: tuple[list[tuple[str, int]], list[Joint]]):
    boxes = drawing(*graph).boxes
    by_column: dict[int, list[Box]] = {}
    for box in boxes:
        by_column.setdefault(box.x, []).append(box)

    for column in by_column.values():
        column.sort(key=lambda box: box.y)
        assert all(upper.bottom + 8 <= lower.y for upper, lower in itertools.pairwise(column))
    edges = sorted(by_column)
    assert all(left + BOX_WIDTH + 60 <= right for left, right in itertools.pairwise(edges))


@given(graphs())
def test_everything_lies_inside_the_picture(graph: tuple[list[tuple[str, int]], list[Joint]]):
    drawn = drawing(*graph)

    for box in drawn.boxes:
        assert box.x >= MARGIN
        assert box.right <= drawn.width - MARGIN
        assert box.y >= MARGIN
        assert box.bottom <= drawn.height - MARGIN
    for line in drawn.lines:
        # A curve stays among its four points.
        assert all(0 <= x <= drawn.width and 0 <= y <= drawn.height for x, y in numbers(line.path))
    for word in drawn.words:
        assert 0 <= word.x <= drawn.width
        assert 0 <= word.y <= drawn.height


@given(graphs())
def test_every_joint_is_a_line_that_begins_at_its_start_and_ends_at_its_end(
    graph: tuple[list[tuple[str, int]], list[Joint]],
):
    nodes, joints = graph
    drawn = drawing(nodes, joints)
    boxes = {box.key: box for box in drawn.boxes}

    assert {(line.start, line.end) for line in drawn.lines} == {(joint.start, joint.end) for joint in joints}
    assert len(drawn.lines) == len({(line.start, line.end) for line in drawn.lines})
    for line in drawn.lines:
        points, start, end = numbers(line.path), boxes[line.start], boxes[line.end]
        (first_x, first_y), (last_x, last_y) = points[0], points[-1]
        assert first_x in sides(start)
        assert start.y < first_y < start.bottom
        assert last_x in sides(end)
        assert end.y < last_y < end.bottom


@given(graphs())
def test_boxes_come_in_the_order_they_were_met_and_deeper_ones_stand_further_right(
    graph: tuple[list[tuple[str, int]], list[Joint]],
):
    nodes, joints = graph
    boxes = drawing(nodes, joints).boxes

    assert [box.key for box in boxes] == [key for key, _ in nodes]
    assert [box.x for box in boxes] == sorted(box.x for box in boxes)


def test_a_joint_to_what_is_not_drawn_is_left_out():
    drawn = drawing([("root", 0), ("a", 1)], [Joint("root", "a", "derived"), Joint("root", "gone", "rule")])

    assert [(line.start, line.end) for line in drawn.lines] == [("root", "a")]
    assert [word.text for word in drawn.words] == ["derived"]


def test_what_is_derived_and_superseded_at_once_has_one_line_and_both_words():
    joints = [Joint("root", "a", "derived"), Joint("root", "a", "supersedes")]
    drawn = drawing([("root", 0), ("a", 1)], joints)

    assert len(drawn.lines) == 1
    assert [word.text for word in drawn.words] == ["derived", "supersedes"]
    assert drawn.words[0].y != drawn.words[1].y


def test_a_lone_fact_is_drawn_and_a_small_tree_stands_around_the_middle():
    alone: Drawing = drawing([("root", 0)], [])
    fork = drawing([("root", 0), ("a", 1), ("b", 1), ("c", 1)], [])

    assert alone.height == BOX_HEIGHT + 2 * MARGIN
    assert fork.boxes[0].middle == fork.boxes[2].middle == fork.height // 2


@given(st.text(max_size=400))
def test_a_text_is_cut_to_one_line_of_bounded_length(text: str):
    line = cut(text)

    assert "\n" not in line
    assert line == " ".join(text.split()) or line.endswith("…")
    assert len(cut("W" * 400)) <= TEXT_WIDTH / 11


def test_a_text_that_fits_is_left_as_it_is_and_a_longer_one_ends_in_an_ellipsis():
    assert cut("closes on 5th working day") == "closes on 5th working day"
    assert cut("Harrow Street closes its ledger on the 5th working day") == "Harrow Street closes its le…"
    assert cut("日本" * 20) == "日本" * 6 + "…"
