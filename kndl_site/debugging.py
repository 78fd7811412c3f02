"""Django's page for developers, without the values of variables: one of them may be somebody's health record."""

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class WithoutValues(SafeExceptionReporterFilter):
    """Names the variables of each frame and the fields of a form, and shows no value, whatever DEBUG is."""

    def is_active(self, request: HttpRequest | None) -> bool:
        return True

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        return {} if request is None else dict.fromkeys(request.POST, self.cleansed_substitute)

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        return dict.fromkeys(tb_frame.f_locals, self.cleansed_substitute).items()
