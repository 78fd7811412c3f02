"""KIP for seats, outside any Space's address."""

from django.urls import path

from memory.kip.wire.views import KipView

urlpatterns = [path("kip", KipView.as_view(), name="kip")]
