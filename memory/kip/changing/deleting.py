"""DELETE of links and of concepts, with everything that would be left without an end."""

from memory.kip.changing.updating import targets
from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Concept, Link
from memory.kip.language.tree import DeleteConcepts, DeleteLinks, Json
from memory.kip.querying.solutions import compile_where
from memory.kip.rules.protection import protected, stays


def delete_links(space: Workspace, statement: DeleteLinks) -> dict[str, Json]:
    """Execute DELETE PROPOSITIONS; concepts bound to the target are left alone. Raises KipError."""
    found = targets(space, statement.target, compile_where(space.graph, statement.where))
    going = [element for element in found if isinstance(element, Link)]
    for link in going:
        space.remove(link)
    return {"deleted_propositions": len(going) + space.remove_links(link.id for link in going)}


def delete_concepts(space: Workspace, statement: DeleteConcepts) -> dict[str, Json]:
    """Execute DELETE CONCEPT … DETACH; links bound to the target are left alone. Raises KipError."""
    found = targets(space, statement.target, compile_where(space.graph, statement.where))
    going = [element for element in found if isinstance(element, Concept)]
    for concept in going:
        if stays(concept.type, concept.name):
            raise protected(concept.type, concept.name, "it cannot be deleted", at=statement.at)
    links = space.remove_links(concept.id for concept in going)
    for concept in going:
        space.remove(concept)
    return {"deleted_concepts": len(going), "deleted_propositions": links}
