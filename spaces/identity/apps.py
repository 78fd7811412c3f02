from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "spaces.identity"
    label = "space_identity"
