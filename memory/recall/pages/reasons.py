"""Why a place stands where it stands, in a sentence and in terms, read off the explanation that recall gives."""

from collections.abc import Mapping
from typing import Any

_STEPS = {
    "spreading": "by decayed score × activation",
    "words": "by its words, behind what spreading brought",
    "recent lines": "a recent line, behind the memories",
}


def reason_of(because: Mapping[str, Any], layer: int) -> str:
    """One sentence: which arm brought it."""
    if "phi" in because:
        return str(because["phi"])
    if "step" in because:
        return f"In the plain order: {_STEPS.get(because['step'], because['step'])}"
    words, near = "keywords" in because, because.get("spreading")
    if layer == 0:
        return "Found by its words among lines that are not distilled yet"
    if layer > 1:
        return _of_higher(words, near)
    if words and near:
        return "Words and vector agree"
    if words:
        return "Found by words; its vector is not among the 10 nearest"
    return "Near in meaning, whatever its words" if near else "It stands beside a line that was found"


def _of_higher(words: bool, near: Mapping[str, Any] | None) -> str:
    if near is None:
        return "Found by its words alone"
    hops = "one hop" if near["hops"] == 1 else f"{near['hops']} hops"
    return f"Found by its words, and reached through the graph in {hops}" if words else f"Reached in {hops}"


def details_of(because: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What each arm said of it: a label and a value each."""
    found: list[tuple[str, str]] = []
    if (keywords := because.get("keywords")) is not None:
        found.append(("BM25", f"{keywords['bm25']:.2f}, place {keywords['rank']} by words"))
        found += [(f"“{term['term']}”", _of_term(term)) for term in keywords["terms"]]
    near = because.get("spreading")
    if near is not None and near["cosine"] is not None:
        found.append(("Cosine", f"{near['cosine']:.3f}, place {near['rank']} of the nearest"))
    elif because.get("cosine") is not None:
        found.append(("Cosine", f"{because['cosine']:.3f}, not among the 10 nearest"))
    if near is not None:
        found.append(("Activation", f"{near['activation']:.3f}"))
        found.append(("Strength × activation", f"{near['score']:.3f}"))
    return found


def met_terms(because: Mapping[str, Any] | None) -> list[str]:
    """The lexemes of the question that it holds."""
    return [term["term"] for term in ((because or {}).get("keywords") or {}).get("terms", ())]


def _of_term(term: Mapping[str, Any]) -> str:
    return f"+ {term['adds']:.2f}{', a word near it' if 'because_of' in term else ''}"
