from django.apps import AppConfig

from common.registries import space_ticks


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from memory import rules  # noqa: F401 - registers who may do what
        from memory.facts.pages import home, waiting
        from memory.layers.decay import decay_tick
        from memory.layers.tasks import tick as distil
        from memory.phi import page_phi
        from memory.sessions.tasks import wake_unattended

        page_phi.register_card()
        waiting.register_card()
        home.register()
        waiting.register_pages()
        page_phi.register_pages()
        space_ticks.add("transcripts", wake_unattended)
        space_ticks.add("distillation", distil)
        space_ticks.add("decay", decay_tick)
