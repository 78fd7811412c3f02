from django.apps import AppConfig

from common.registries import secret_finders, space_ticks


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from memory import rules  # noqa: F401 - registers who may do what
        from memory.facts.pages import home, waiting
        from memory.kip.ticking import expiry_tick
        from memory.layers.decay import decay_tick
        from memory.layers.pages import distillation_navigation, memory_navigation
        from memory.layers.pages import home as layers_home
        from memory.layers.tasks import tick as distil
        from memory.phi import page_phi
        from memory.recall.pages import recall
        from memory.sessions.masking import has_secret
        from memory.sessions.tasks import wake_unattended

        page_phi.register_card()
        waiting.register_card()
        home.register()
        layers_home.register_card()
        recall.register_page()
        memory_navigation.register_pages()
        distillation_navigation.register_pages()
        waiting.register_pages()
        page_phi.register_pages()
        secret_finders.add("masking", has_secret)
        space_ticks.add("transcripts", wake_unattended)
        space_ticks.add("distillation", distil)
        space_ticks.add("decay", decay_tick)
        space_ticks.add("kip_expiry", expiry_tick)
