from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "kndl_site"
    verbose_name = "Kndl"

    def ready(self) -> None:
        # Not in kndl_site/__init__.py, where Celery's guide has it: finding the embedded server needs no Django.
        from kndl_site import celery, checks  # noqa: F401 - tasks of all processes go to this broker; checks register
