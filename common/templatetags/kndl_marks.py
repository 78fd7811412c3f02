"""The marks of the look: how a number, a band, a class, a layer and an instant are shown on every page.

Each mark says its meaning by shape and word; the colours come from the style sheet.
"""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import template
from django.forms import BoundField
from django.template import Context
from django.utils import dateformat
from django.utils.html import format_html
from django.utils.safestring import SafeString

from common.times import format_instant

register = template.Library()

METER_WIDTH = 72
LAYERS = {0: "session", 1: "fragment", 2: "event", 3: "concept"}
BOLD_CLASSES = {"PII", "PCI", "CONFIDENTIAL"}
INSTANT_FORMS = {
    "day": "j M",
    "date": "j M Y",
    "moment": "j M, H:i",
    "minute": "j M Y, H:i",
    "second": "j M Y, H:i:s",
}
WITH_YEAR = {"day": "date", "moment": "minute"}


@register.simple_tag
def meter(value: float, band: str) -> SafeString:
    """Bar of effective confidence with ticks at 0.3 and 0.7; the number belongs beside it."""
    end = METER_WIDTH * min(max(value, 0.0), 1.0)
    return format_html(
        '<svg class="meter" data-band="{}" viewBox="0 0 72 10" aria-hidden="true">'
        '<line class="meter-track" x1="0" y1="5" x2="72" y2="5"/>'
        '<line class="meter-bar" x1="0" y1="5" x2="{}" y2="5"/>'
        '<path class="meter-ticks" d="M21.6 0v2M21.6 8v2M50.4 0v2M50.4 8v2"/></svg>',
        band,
        f"{end:.4f}",
    )


@register.simple_tag
def band(name: str) -> SafeString:
    """Band of confidence (usable, uncertain, stale) as disc and word."""
    return format_html('<span class="band" data-band="{}">{}</span>', name, name)


@register.simple_tag(name="eff")
def effective(value: float, band_name: str) -> SafeString:
    """Effective confidence in full: bar, number with four decimals, band."""
    return format_html(
        '<span class="eff">{} <b>{}</b> {}</span>', meter(value, band_name), f"{value:.4f}", band(band_name)
    )


@register.simple_tag
def tally(value: float, layer: int) -> SafeString:
    """Strength of a memory as ten strokes in its layer's colour, with the number to two decimals.

    A memory that is not quite gone keeps one stroke; only 0 has none.
    """
    strokes = min(int(max(value, 0.0) * 10 + 0.5), 10)
    if value > 0:
        strokes = max(strokes, 1)
    lit = ""
    if strokes:
        lit = format_html('<line class="tally-on" x1="0" y1="5" x2="{}" y2="5"/>', 5 * strokes - 2)
    return format_html(
        '<span class="eff"><svg class="tally" data-layer="{}" viewBox="0 0 48 10" aria-hidden="true">'
        '<line x1="0" y1="5" x2="48" y2="5"/>{}</svg> <b>{}</b></span>',
        layer,
        lit,
        f"{value:.2f}",
    )


@register.simple_tag
def class_tag(classification: str | None) -> str:
    """Classification as a tag: PHI filled, the other protected classes bold, the rest plain, none nothing."""
    if not classification:
        return ""
    kind = "tag tag-phi" if classification == "PHI" else "tag tag-class" if classification in BOLD_CLASSES else "tag"
    return format_html('<span class="{}">{}</span>', kind, classification)


@register.simple_tag
def layer(number: int, word: bool = False) -> SafeString:
    """Layer of memory as a core sample with "L1" beside it, or "L1 fragment" where `word` is true."""
    text = f"L{number} {LAYERS[number]}" if word else f"L{number}"
    return format_html('<span class="layer" data-layer="{}">{}</span>', number, text)


@register.simple_tag
def number(value: int | None) -> str:
    """A count with thousands separators: 88,204."""
    return "" if value is None else f"{value:,}"


@register.simple_tag(takes_context=True)
def instant(context: Context, value: datetime | date | None, form: str = "moment") -> str:
    """`<time>` in the Space's zone, with the exact instant in UTC on hover.

    `form`: day "30 Nov", date "30 Nov 2026", moment "30 Nov, 09:40", minute "30 Nov 2026, 09:40", second
    "30 Nov 2026, 09:40:12". The two without a year gain it when it is not the year of `read_at`.
    A date without a time is shown as it is. The zone is the context's `zone`, else UTC.
    """
    if value is None:
        return ""
    if not isinstance(value, datetime):
        return format_html('<time datetime="{}">{}</time>', value.isoformat(), dateformat.format(value, "j M Y"))
    exact = format_instant(value)
    zone = zone_of(context)
    local = in_zone(value, zone)
    today = in_zone(context.get("read_at") or datetime.now(UTC), zone)
    if local.year != today.year:
        form = WITH_YEAR.get(form, form)
    text = dateformat.format(local, INSTANT_FORMS[form])
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, exact, text)


def zone_of(context: Context) -> tzinfo:
    """Zone of the page: `zone` of the context (a name or a zone); UTC when it is missing or unknown."""
    try:
        return ZoneInfo(str(context.get("zone") or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def in_zone(value: datetime, zone: tzinfo) -> datetime:
    """`value` in `zone`; in UTC where the calendar ends, since a fact may be valid until the last day of 9999."""
    try:
        return value.astimezone(zone)
    except OverflowError:
        return value.astimezone(UTC)


@register.filter
def initials(name: object) -> str:
    """Up to two capitals of a person's name, for the account button: "Mirel Oskander" is MO."""
    words = str(name).partition("@")[0].replace(".", " ").split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


@register.simple_tag
def control(field: BoundField) -> SafeString:
    """The control of a form field in our look; Django adds its description and its validity.

    A placeholder that only repeats the label is left out.
    """
    stated = field.field.widget.attrs
    attrs: dict[str, str | bool] = {"class": f"{stated.get('class', '')} input".strip()}
    if str(field.label).casefold() in str(stated.get("placeholder", "")).casefold():
        attrs["placeholder"] = False
    return field.as_widget(attrs=attrs)


@register.inclusion_tag("partials/confidence_curve.html", takes_context=True)
def confidence_curve(context: Context, curve: object, name: str = "curve") -> dict[str, object]:
    """Figure of how sure one may be over time; `curve` is of `memory.facts.rules.curve`, `name` unique on a page."""
    return {"curve": curve, "name": name, "zone": context.get("zone"), "read_at": context.get("read_at")}
