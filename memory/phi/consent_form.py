"""The forms about consents. What may stand in them is said by `consents`."""

from typing import Any

from django import forms
from django.http import QueryDict

from common.errors import KndlError
from memory.facts.pages.fact_form import source_of
from memory.facts.pages.filters import exact_instant
from memory.phi.consents import ConsentView
from spaces.purposes import PURPOSES

_IS_REQUIRED = {"required": "Is required."}
_CHOICES = [(purpose, purpose) for purpose in PURPOSES]


def _clock(label: str, hint: str) -> forms.CharField:
    widget = forms.TextInput(attrs={"type": "datetime-local", "step": "any"})
    return forms.CharField(label=label, required=False, help_text=hint, widget=widget)


class ActForm(forms.Form):
    """A form whose act may be refused; with no field of its own it only asks whether to go on."""

    def refuse(self, error: KndlError) -> None:
        """Show what was refused at the field that is named, or above the form."""
        for fault in error.errors:
            detail = fault.detail[:1].upper() + fault.detail[1:].rstrip(".") + "."
            name = fault.field.split(".")[0]
            self.add_error(name if name in self.fields else None, detail)
        if not error.errors:
            self.add_error(None, error.detail)


class ConsentForm(ActForm):
    """A consent as a person records it."""

    scope = forms.ChoiceField(help_text="Whose memory it is about.")
    subject = forms.CharField(
        error_messages=_IS_REQUIRED, help_text="Who allows it, spelt as in the facts, such as patient:4471."
    )
    purposes = forms.MultipleChoiceField(
        choices=_CHOICES, error_messages=_IS_REQUIRED, widget=forms.CheckboxSelectMultiple
    )
    granted_by = forms.CharField(
        label="Granted by",
        error_messages=_IS_REQUIRED,
        help_text="A name, or an address such as human://jun-hallowick.",
    )
    evidence = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What proves it, such as form 0412, page 2. It is encrypted.",
    )
    valid_from = _clock("From", "Empty: from now on.")
    valid_until = _clock("Until", "Empty: without end.")
    id = forms.CharField(required=False, label="Id", help_text="As facts name it. Empty: one is made.")

    def __init__(self, *args: Any, writable: list[str], zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
        self.zone = zone
        scopes = self.fields["scope"]
        assert isinstance(scopes, forms.ChoiceField)
        scopes.choices = [(name, name) for name in writable]

    def document(self) -> dict[str, Any]:
        """What was filled in, as REST takes it."""
        given = self.cleaned_data
        granted_by = given["granted_by"].strip()
        found = {
            "subject": given["subject"],
            "purposes": given["purposes"],
            "granted_by": granted_by if ":" in granted_by else source_of(granted_by),
            "id": given["id"] or None,
            "evidence": given["evidence"] or None,
        }
        for name in ("valid_from", "valid_until"):
            found[name] = exact_instant(given[name].strip(), self.zone) if given[name].strip() else None
        return {name: value for name, value in found.items() if value is not None}


class NarrowForm(ActForm):
    """The purposes that a consent is left with."""

    purposes = forms.MultipleChoiceField(
        label="Purposes that stay", error_messages=_IS_REQUIRED, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: QueryDict | None, *, consent: ConsentView) -> None:
        super().__init__(data, initial={"purposes": list(consent.purposes)})
        self.use_required_attribute = False
        chosen = self.fields["purposes"]
        assert isinstance(chosen, forms.MultipleChoiceField)
        chosen.choices = [(purpose, purpose) for purpose in consent.purposes]


class BreakGlassForm(ActForm):
    """Why somebody's PHI has to be read without a consent."""

    reason = forms.CharField(
        error_messages=_IS_REQUIRED,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Ten characters or more. It stays on record as you write it: say why, not what you hope to read.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
