from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from memory import rules  # noqa: F401 - registers who may do what
        from memory.facts import home

        home.register()
