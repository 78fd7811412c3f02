"""The form of the limits: sizes in megabytes, types one a line."""

from typing import Any, Self

from django import forms

from library.models import LibrarySettings

_MB = 1000**2


class LimitsForm(forms.Form):
    """How much the Library takes. What may be is checked in `library.limits`."""

    file_size = forms.IntegerField(label="Largest file, in MB", min_value=1, max_value=1_000_000)
    whole_size = forms.IntegerField(label="All files together, in MB", min_value=1, max_value=1_000_000_000)
    count = forms.IntegerField(label="Number of files", min_value=1, max_value=1_000_000)
    media_types = forms.CharField(
        label="Allowed types",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One a line, such as application/pdf or image/*. Judged by the content. Empty: every type.",
    )

    @classmethod
    def of(cls, limits: LibrarySettings) -> Self:
        """The form with the limits as they are."""
        return cls(
            initial={
                "file_size": -(-limits.file_size // _MB),
                "whole_size": -(-limits.whole_size // _MB),
                "count": limits.files,
                "media_types": "\n".join(limits.media_types),
            }
        )

    def given(self) -> dict[str, Any]:
        """The limits in bytes, as `library.limits` takes them."""
        sent = self.cleaned_data
        return {
            "file_size": sent["file_size"] * _MB,
            "whole_size": sent["whole_size"] * _MB,
            "files": sent["count"],
            "media_types": sent["media_types"].split(),
        }
