from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "desk"
    verbose_name = "Desk"

    def ready(self) -> None:
        from common.registries import NavigationItem, navigation

        navigation.add("home", NavigationItem("Home", "space_home", "", "h"))
