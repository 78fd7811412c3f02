from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "kndl_site"
    verbose_name = "Kndl"
