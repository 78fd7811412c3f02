"""The form of the limits: sizes with their unit, types one a line."""

from typing import Any, Self

from django import forms

from library.models import LibrarySettings
from library.rules.sizes import exact_size, read_size


class SizeField(forms.CharField):
    """A number of bytes, written with its unit."""

    def clean(self, value: Any) -> int:
        """The bytes."""
        try:
            return read_size(super().clean(value))
        except ValueError:
            raise forms.ValidationError("Give a whole number and its unit, such as 500 MB or 2 GiB.") from None


class LimitsForm(forms.Form):
    """How much the Library takes. What may be is checked in `library.limits`."""

    file_size = SizeField(
        label="Largest file",
        max_length=40,
        help_text="With its unit: bytes; kB, MB, GB, TB in thousands; KiB, MiB, GiB, TiB in steps of 1,024.",
    )
    whole_size = SizeField(label="All files together", max_length=40, help_text="The same way.")
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
                "file_size": exact_size(limits.file_size),
                "whole_size": exact_size(limits.whole_size),
                "count": limits.files,
                "media_types": "\n".join(limits.media_types),
            }
        )

    def given(self) -> dict[str, Any]:
        """The limits in bytes, as `library.limits` takes them."""
        sent = self.cleaned_data
        return {
            "file_size": sent["file_size"],
            "whole_size": sent["whole_size"],
            "files": sent["count"],
            "media_types": sent["media_types"].split(),
        }
