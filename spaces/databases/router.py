"""Which database a model's rows live in. For memory there is no default: outside a Space every query raises."""

from typing import Any

from django.db.models import Model

from spaces.databases.aliases import OWNER, is_space
from spaces.databases.entering import current_alias
from spaces.databases.identity import SPACE_APPS

# Rows of these apps exist in both kinds of database, so a query must say which one it means.
BOTH = frozenset({"audit"})
SPACE_ONLY = frozenset(SPACE_APPS) - BOTH


class WrongDatabase(RuntimeError):
    """A query would have reached a database that it must not reach."""


class SpaceRouter:
    """Sends memory to the Space that was entered and everything else to the control database."""

    def _database(self, model: type[Model], hints: dict[str, Any]) -> str:
        label = model._meta.app_label
        instance = hints.get("instance")
        home = instance._state.db if instance is not None else None
        if label in SPACE_ONLY:
            alias = current_alias()
            if home and home.removeprefix(OWNER) != alias:
                raise WrongDatabase(f"a {model.__name__} of {home} was touched inside {alias}")
            return alias
        if label in BOTH:
            if not home:
                raise WrongDatabase(f"{model.__name__} exists in every database: say which one with using()")
            return str(home)
        return "default"

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return self._database(model, hints)

    def db_for_write(self, model: type[Model], **hints: Any) -> str:
        return self._database(model, hints)

    def allow_relation(self, first: Model, second: Model, **hints: Any) -> bool:
        return first._state.db == second._state.db

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        if app_label in BOTH:
            return True
        return is_space(db) == (app_label in SPACE_ONLY)
