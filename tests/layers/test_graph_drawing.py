"""The geometry of a neighbourhood: boxes in columns by layer, the links between them, the words beside them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.graph_drawing import BOX_HEIGHT, Spot, Tie, graph_drawing, hops_from

keys = st.integers(0, 9).map(str)
nodes = st.lists(
    st.tuples(keys, st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=10, unique_by=lambda n: n[0]
)
links = st.lists(st.tuples(keys, keys), max_size=15)


@given(nodes, links)
def test_boxes_never_overlap_and_every_link_among_them_is_drawn(nodes, links):
    spots, ties = [Spot(*node) for node in nodes], [Tie(start, end, "mentions") for start, end in links]
    drawing = graph_drawing(spots, ties, spots[0].key)
    shown = {spot.key for spot in spots}
    assert {box.key for box in drawing.boxes} == shown
    columns: dict[int, list[int]] = {}
    for box in drawing.boxes:
        columns.setdefault(box.x, []).append(box.y)
        assert 0 <= box.x < box.right <= drawing.width
        assert box.y + BOX_HEIGHT <= drawing.height
    for rows in columns.values():
        assert all(later - earlier > BOX_HEIGHT for earlier, later in pairwise(sorted(rows)))
    inside = {(start, end) for start, end in links if start in shown and end in shown and start != end}
    assert len(drawing.lines) == len(inside)
    assert drawing == graph_drawing(spots, ties, spots[0].key)


def test_what_is_linked_stands_side_by_side():
    spots = [Spot(str(n), 1, 1) for n in range(4)] + [Spot(f"e{n}", 2, 1) for n in range(4)]
    drawing = graph_drawing(spots, [Tie(str(n), f"e{3 - n}", "part of") for n in range(4)], "0")
    at = {box.key: box.y for box in drawing.boxes}
    assert all(at[str(n)] == at[f"e{3 - n}"] for n in range(4))


def test_a_word_stands_once_before_each_box_that_lines_lead_into():
    spots = [Spot("a", 1, 0), Spot("b", 1, 1), Spot("e", 2, 1)]
    drawing = graph_drawing(spots, [Tie("a", "e", "part of"), Tie("b", "e", "part of"), Tie("a", "b", "next")], "a")
    assert sorted(word.text for word in drawing.words) == ["next", "part of"]
    assert [line.says for line in drawing.lines if line.is_near] == ["part of", "next"]


def test_hops_are_counted_along_the_shortest_way():
    assert hops_from(1, [(1, 2), (2, 3), (1, 3), (3, 4), (8, 9)]) == {1: 0, 2: 1, 3: 1, 4: 2}
