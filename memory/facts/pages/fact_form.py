"""The form of a fact: its fields are called as in JSON-LD, and what may stand in them is said by `document`."""

import json
from typing import Any

from django import forms

from common import jsonio
from common.errors import Invalid, KndlError
from memory.facts.pages.filters import exact_instant
from memory.facts.rules.document import CLASSIFICATIONS, FactInput
from memory.facts.rules.identifiers import slug
from memory.facts.rules.record import ABSENT, FactRecord
from spaces.access import Binding

_ALIASES = {name: field.alias or name for name, field in FactInput.model_fields.items()}
_REQUIRED = {"required": "Is required."}
_TIMES = ("valid_from", "valid_until", "observed_at")


def _clock(label: str, hint: str = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"type": "datetime-local", "step": "any"})
    return forms.CharField(label=label, required=False, help_text=hint, widget=widget)


class FactForm(forms.Form):
    """A fact as a person writes it. `binding` holds the scopes to choose from."""

    scope = forms.ChoiceField(help_text="Who shares this memory.")
    statement = forms.CharField(
        error_messages=_REQUIRED,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence that is true by itself.",
    )
    subject = forms.CharField(required=False, help_text="What it is about, such as clinic:harrow-street.")
    predicate = forms.CharField(required=False, help_text="Which of its traits, such as opens at.")
    object = forms.CharField(
        required=False, help_text="The value: JSON such as 24, true or {…}; anything else is taken as text."
    )
    negated = forms.BooleanField(label="Known false: it is certain that this does not hold", required=False)
    confidence = forms.CharField(
        error_messages=_REQUIRED,
        initial="0.9",
        help_text="From 0 to 1; 1 is for definitions.",
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    decay = forms.CharField(
        required=False, help_text="How fast it fades: 0.9/30d keeps 90 % every 30 days. Empty: it does not."
    )
    source = forms.CharField(
        error_messages=_REQUIRED, help_text="Where it was learnt: https://…, session://…, urn:…, human://name."
    )
    classification = forms.CharField(
        label="Class",
        required=False,
        widget=forms.Select(choices=[("", "none"), *((name, name) for name in CLASSIFICATIONS)]),
    )
    consent = forms.CharField(required=False, help_text="Id of the consent; PHI needs one.")
    valid_from = _clock("True from", "Empty: from now on.")
    valid_until = _clock("True until", "Empty: without end.")
    observed_at = _clock("Seen on", "When somebody saw it themselves.")
    retention = forms.CharField(
        label="Keep for", required=False, help_text="Such as P3Y, or a date. Then it is due for deletion."
    )
    derived_from = forms.CharField(
        label="Derived from",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Ids of facts, one a line.",
    )
    inference = forms.CharField(label="Inferred by", required=False, help_text="Id of the rule that was used.")

    def __init__(self, *args: Any, binding: Binding, writable: list[str], zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
        self.zone = zone
        chosen = self.fields["scope"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = [(name, name) for name in writable]
        if not binding.every:
            chosen.initial = binding.one.name

    def add_prefix(self, field_name: str) -> str:
        """The name in the page's markup: the one of JSON-LD."""
        return _ALIASES.get(field_name, field_name)

    def document(self) -> dict[str, Any]:
        """What was filled in, as JSON-LD; nothing of it is checked yet."""
        given = {name: self.data.get(self.add_prefix(name), "") for name in self.fields if name != "scope"}
        found: dict[str, Any] = {_ALIASES[name]: text for name, text in given.items() if text.strip()}
        for name in _TIMES:
            if _ALIASES[name] in found:
                found[_ALIASES[name]] = exact_instant(found[_ALIASES[name]].strip(), self.zone)
        if "object" in found:
            found["object"] = _json_or_text(found["object"])
        if "confidence" in found:
            found["confidence"] = _number(found["confidence"])
        if "derivedFrom" in found:
            found["derivedFrom"] = found["derivedFrom"].split()
        found.pop("negated", None)
        return found | {"negated": True} if given["negated"] else found

    def refuse(self, error: KndlError) -> None:
        """Show what was refused at the field that is named, or above the form."""
        names = {alias: name for name, alias in _ALIASES.items()}
        for fault in error.errors:
            name = names.get(fault.field.split(".")[0], "")
            detail = fault.detail[:1].upper() + fault.detail[1:].rstrip(".") + "."
            if name in self.errors:
                continue
            if name in self.fields:
                self.add_error(name, detail)
            else:
                self.add_error(None, f"{fault.field}: {detail}")
        if not error.errors:
            self.add_error(None, error.detail)


def source_of(name: str) -> str:
    """The source that a person is, such as human://jun-hallowick."""
    return f"human://{slug(name)}"


def filled_from(record: FactRecord, source: str) -> dict[str, Any]:
    """What the form begins with for a fact that is to stand in the place of `record`."""
    return {
        "statement": record.statement,
        "subject": record.subject or "",
        "predicate": record.predicate or "",
        "object": _shown(record.object),
        "negated": record.negated,
        "confidence": f"{record.confidence:g}",
        "decay": record.decay or "",
        "source": source,
        "classification": record.classification or "",
        "consent": record.consent or "",
        "retention": record.retention or "",
    }


def _shown(value: Any) -> str:
    """An object as the field takes it back to the same value."""
    if value is ABSENT:
        return ""
    if isinstance(value, str) and _json_or_text(value) == value:
        return value
    return jsonio.dumps(value)


def _json_or_text(text: str) -> Any:
    try:
        return jsonio.loads(text)
    except Invalid:
        return text


def _number(text: str) -> Any:
    """The number that was written; the text itself when it is none, for the document's rules to refuse."""
    try:
        return json.loads(text.strip())
    except ValueError:
        return text
