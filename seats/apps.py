from django.apps import AppConfig


class SeatsConfig(AppConfig):
    name = "seats"
    verbose_name = "Seats"

    def ready(self) -> None:
        from common.registries import NavigationItem, navigation
        from seats import rules  # noqa: F401 - registers who may do what
        from spaces.access import GOVERNING

        navigation.add(
            "seats",
            NavigationItem(
                "Seats",
                "seats",
                "What seats are given",
                "t",
                roles=frozenset(str(role) for role in GOVERNING),
                within=frozenset({"seats_new", "seats_revoke"}),
            ),
        )
