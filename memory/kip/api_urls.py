"""KIP inside a Space."""

from django.urls import path

from memory.kip.wire.views import SpaceKipView

urlpatterns = [path("kip", SpaceKipView.as_view(), name="space-kip")]
