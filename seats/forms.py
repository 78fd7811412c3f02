"""The form of a new seat."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from seats.models import Seat
from seats.surroundings import ASSISTANT, PROJECT
from seats.tokens import CROSS_TENANT, MORE_VERBS, VERBS
from spaces.purposes import PURPOSES

_VERBS = [(verb, verb) for verb in (*VERBS, *MORE_VERBS, CROSS_TENANT)]


class SeatForm(forms.Form):
    """What a seat is, and what its token opens. What may be is checked in `seats.making`."""

    project = forms.CharField(
        max_length=48, initial=PROJECT, help_text="Lower-case letters, digits and hyphens. A new one is made."
    )
    kind = forms.ChoiceField(choices=Seat.Kind.choices)
    client = forms.ChoiceField(choices=Seat.Client.choices)
    assistant = forms.CharField(max_length=120, initial=ASSISTANT, help_text="A new one is made.")
    owner = forms.CharField(
        label="Whose memory",
        required=False,
        max_length=254,
        help_text="A member’s name or e-mail; a new name becomes a member who does not sign in. Empty: the owner.",
    )
    verbs = forms.MultipleChoiceField(
        label="What the token allows", choices=_VERBS, initial=list(VERBS), widget=forms.CheckboxSelectMultiple
    )
    purposes = forms.MultipleChoiceField(
        required=False,
        choices=[(purpose, purpose) for purpose in PURPOSES],
        widget=forms.CheckboxSelectMultiple,
        help_text="PHI is released only for a purpose that the subject’s consent covers.",
    )
    reads_shared = forms.BooleanField(label="Reads the Space’s shared scopes as well", required=False)
    expires_on = forms.DateField(
        label="Last day",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="In the Space’s zone. Empty: until it is revoked.",
    )

    def given(self, zone: str) -> dict[str, Any]:
        """The arguments for `make_seat`; the token ends with its last day in `zone`."""
        values = dict(self.cleaned_data)
        last_day = values.pop("expires_on")
        if last_day:
            values["expires_at"] = datetime.combine(last_day + timedelta(days=1), time(), ZoneInfo(zone))
        return values
