from django.apps import AppConfig


class SeatsConfig(AppConfig):
    name = "seats"
    verbose_name = "Seats"
