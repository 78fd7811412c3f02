from django.apps import AppConfig


class SpacesConfig(AppConfig):
    name = "spaces"
    verbose_name = "Spaces"

    def ready(self) -> None:
        from accounts import governing
        from audit import databases
        from audit.idempotency import forget_old
        from audit.verifying import note_heads
        from common.registries import NavigationItem, instance_ticks, navigation, space_ticks
        from spaces import making  # noqa: F401 - registers its kind of operation
        from spaces.databases.entering import current_alias
        from spaces.listing import audited_spaces
        from spaces.members import governs_a_space
        from spaces.operations import finish_due

        databases.register(audited_spaces)
        governing.register(governs_a_space)
        instance_ticks.add("operations", finish_due)
        instance_ticks.add("audit_heads", note_heads)
        instance_ticks.add("idempotency", lambda: forget_old("default"))
        space_ticks.add("idempotency", lambda: forget_old(current_alias()))
        navigation.add(
            "people",
            NavigationItem("People", "people", "Governance", "w", within=frozenset({"people_invite", "people_remove"})),
        )
