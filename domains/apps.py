from django.apps import AppConfig


class DomainsConfig(AppConfig):
    name = "domains"
    verbose_name = "Shared domains"

    def ready(self) -> None:
        from common.registries import companions, instance_ticks
        from domains import retiring, rights  # noqa: F401 - registers a kind of operation, and who may do what
        from domains.pages import navigation
        from domains.ticking import tick
        from domains.watching import watch

        instance_ticks.add("domains", tick)
        companions.add("domains", watch)
        navigation.register_pages()
