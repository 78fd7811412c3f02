from django.apps import AppConfig


class SeatsConfig(AppConfig):
    name = "seats"
    verbose_name = "Seats"

    def ready(self) -> None:
        from common.registries import NavigationItem, actor_names, navigation
        from seats import authentication_schema, library_readers, rules  # noqa: F401 - they register themselves by being imported
        from seats.naming import names_of_seats
        from spaces.access import GOVERNING

        actor_names.add("seat", names_of_seats)
        library_readers.register()
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
