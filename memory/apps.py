from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from memory import rules  # noqa: F401 - registers who may do what
        from memory.facts.pages import home, waiting
        from memory.phi import page_phi

        page_phi.register_card()
        waiting.register_card()
        home.register()
        waiting.register_pages()
        page_phi.register_pages()
