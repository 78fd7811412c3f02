"""Taking away what a run left behind, so that the next one finds the store as it was."""

from bench.layers.space import Store
from spaces.models import Scope

_TABLES = ("node", "link", "session", "scope_stat", "term_df", "distillation", "recall_use")


def sweep(store: Store) -> None:
    """Empty every scope but those of the store. Facts stay: nothing but erasure may take one away."""
    kept = {one.scope for one in store.scopes}
    others = [pk for pk in Scope.objects.filter(space=store.space).values_list("pk", flat=True) if pk not in kept]
    gone = 0
    for table in _TABLES:
        gone += store.bare.execute(f"delete from {table} where scope = any(%s)", [others]).rowcount  # noqa: S608 - ours
    near = store.bare.execute(
        "select indexrelid::regclass::text from pg_index"
        r" where indrelid = 'node_index'::regclass and indexrelid::regclass::text like 'near\_%'"
    )
    for (name,) in near.fetchall():
        store.bare.execute(f"drop index {name}")
    if gone:
        store.bare.execute("vacuum analyze")
