from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People"

    def ready(self) -> None:
        from accounts import signals
        from accounts.naming import names_of_people
        from common.registries import actor_names

        actor_names.add("person", names_of_people)
        signals.connect()
