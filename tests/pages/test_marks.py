"""The marks of the look, as templates write them."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django import forms
from django.template import Context, Template

from memory.facts.rules.curve import confidence_curve
from memory.facts.rules.decay import parse_decay

READ_AT = datetime(2026, 11, 30, 9, 40, 12, tzinfo=UTC)


def written(source: str, **context: object) -> str:
    return Template("{% load kndl_marks %}" + source).render(Context(context))


def shown(at: object, form: str = "moment", zone: str | None = "Europe/Lisbon") -> str:
    return written("{% instant at form %}", at=at, form=form, zone=zone, read_at=READ_AT)


def test_the_bar_of_a_confidence_ends_at_its_share_of_72():
    assert 'class="meter-bar" x1="0" y1="5" x2="64.5840"' in written("{% meter 0.897 'usable' %}")


@pytest.mark.parametrize(("value", "end"), [(-0.5, "0.0000"), (0.0, "0.0000"), (1.0, "72.0000"), (1.5, "72.0000")])
def test_the_bar_never_leaves_its_track(value, end):
    assert f'class="meter-bar" x1="0" y1="5" x2="{end}"' in written("{% meter value 'stale' %}", value=value)


def test_a_confidence_in_full_has_four_decimals_and_says_its_band():
    html = written("{% eff value 'uncertain' %}", value=0.41324999)
    assert "<b>0.4132</b>" in html
    assert '<span class="band" data-band="uncertain">uncertain</span>' in html


def test_the_picture_of_a_confidence_is_hidden_from_who_hears_the_number():
    assert 'aria-hidden="true"' in written("{% meter 0.5 'uncertain' %}")


@pytest.mark.parametrize(("strength", "end"), [(0.03, 3), (0.12, 3), (0.38, 18), (0.96, 48), (1.0, 48), (7.0, 48)])
def test_a_strength_has_a_stroke_for_each_tenth_and_keeps_one_to_the_last(strength, end):
    assert f'class="tally-on" x1="0" y1="5" x2="{end}"' in written("{% tally strength 1 %}", strength=strength)


def test_a_strength_of_nothing_has_no_stroke():
    html = written("{% tally 0 2 %}")
    assert "tally-on" not in html
    assert "<b>0.00</b>" in html


@pytest.mark.parametrize(
    ("classification", "kind"),
    [
        ("PHI", "tag tag-phi"),
        ("PII", "tag tag-class"),
        ("PCI", "tag tag-class"),
        ("INTERNAL", "tag"),
        ("PUBLIC", "tag"),
    ],
)
def test_a_class_is_marked_by_how_much_it_protects(classification, kind):
    assert written("{% class_tag c %}", c=classification) == f'<span class="{kind}">{classification}</span>'


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_fact_without_a_class_has_no_tag(nothing):
    assert written("{% class_tag c %}", c=nothing) == ""


def test_a_layer_says_its_number_and_its_word_where_asked():
    assert written("{% layer 1 %}") == '<span class="layer" data-layer="1">L1</span>'
    assert written("{% layer 3 word=True %}") == '<span class="layer" data-layer="3">L3 concept</span>'


@pytest.mark.parametrize(("count", "text"), [(0, "0"), (999, "999"), (88204, "88,204"), (None, "")])
def test_a_count_has_thousands_separators(count, text):
    assert written("{% number count %}", count=count) == text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("day", "12 Jul"),
        ("date", "12 Jul 2026"),
        ("moment", "12 Jul, 10:19"),
        ("minute", "12 Jul 2026, 10:19"),
        ("second", "12 Jul 2026, 10:19:44"),
    ],
)
def test_an_instant_is_written_in_the_zone_and_holds_the_exact_one(form, text):
    at = datetime(2026, 7, 12, 9, 19, 44, 120, tzinfo=UTC)
    exact = "2026-07-12T09:19:44.000120Z"
    assert shown(at, form) == f'<time datetime="{exact}" title="{exact}">{text}</time>'


def test_an_instant_of_another_year_names_its_year():
    at = datetime(2025, 7, 12, 9, 19, tzinfo=UTC)
    assert ">12 Jul 2025, 10:19<" in shown(at)
    assert ">12 Jul 2025<" in shown(at, "day")


def test_the_year_is_the_one_of_the_zone_and_not_of_utc():
    assert ">1 Jan 2027, 09:30<" in shown(datetime(2026, 12, 31, 19, 30, tzinfo=UTC), zone="Pacific/Kiritimati")


@pytest.mark.parametrize("zone", [None, "", "Nowhere/Else", "../../etc/passwd"])
def test_without_a_zone_that_exists_an_instant_is_written_in_utc(zone):
    assert ">12 Jul, 09:19<" in shown(datetime(2026, 7, 12, 9, 19, tzinfo=UTC), zone=zone)


@pytest.mark.parametrize(
    ("text", "at", "zone"),
    [
        ("31 Dec 9999", datetime(9999, 12, 31, 23, 59, tzinfo=UTC), "Pacific/Kiritimati"),
        ("1 Jan 0001", datetime(1, 1, 1, tzinfo=UTC), "America/New_York"),
    ],
)
def test_the_ends_of_the_calendar_can_be_written_in_any_zone(text, at, zone):
    assert f">{text}<" in shown(at, "date", zone)


def test_a_date_without_a_time_is_not_moved_by_the_zone():
    assert shown(date(2026, 4, 23), zone="Pacific/Pago_Pago") == '<time datetime="2026-04-23">23 Apr 2026</time>'


def test_no_instant_is_written_as_nothing():
    assert shown(None) == ""


@pytest.mark.parametrize(
    ("name", "letters"), [("Mirel Oskander", "MO"), ("Jun", "J"), ("jun.van.hallowick@x.example", "JH"), ("", "")]
)
def test_a_person_is_known_by_two_letters(name, letters):
    assert written("{{ name|initials }}", name=name) == letters


@pytest.mark.parametrize("mark", ["band evil", "meter 0.5 evil", "eff 0.5 evil", "class_tag evil", "tally 1 evil"])
def test_hostile_text_stays_text_in_every_mark(mark):
    html = written("{% " + mark + " %}", evil='"><script>go()</script>')
    assert "<script" not in html
    assert "&quot;&gt;&lt;script&gt;" in html


class Question(forms.Form):
    statement = forms.CharField(
        help_text="4,000 characters at most", widget=forms.TextInput({"placeholder": "Statement"})
    )
    decay = forms.CharField(required=False, widget=forms.TextInput({"placeholder": "0.5/30d", "class": "mono"}))


def field(name: str, data: dict[str, str] | None = None) -> str:
    return written('{% include "partials/field.html" %}', field=Question(data)[name])


def test_a_control_wears_our_look_and_keeps_its_own_class():
    assert 'class="input"' in field("statement")
    assert 'class="mono input"' in field("decay")


def test_a_placeholder_that_repeats_the_label_is_left_out():
    assert "placeholder" not in field("statement")
    assert 'placeholder="0.5/30d"' in field("decay")


def test_a_wrong_field_says_so_beside_its_control_and_to_who_cannot_see_it():
    html = field("statement", {})
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_statement_helptext id_statement_error"' in html
    assert 'id="id_statement_error">This field is required.' in html
    assert 'id="id_statement_helptext">4,000 characters at most' in html


def test_a_field_that_may_stay_empty_says_so():
    assert "(optional)" in field("decay")
    assert "(optional)" not in field("statement")


def test_the_confidence_curve_is_a_picture_with_a_sentence_for_who_cannot_see_it():
    curve = confidence_curve(0.95, parse_decay("0.90/90d"), READ_AT - timedelta(days=49), READ_AT)
    html = written("{% confidence_curve curve %}", curve=curve, read_at=READ_AT)
    assert f'<title id="curve-title">{curve.title}</title>' in html
    assert 'aria-labelledby="curve-title"' in html
    assert html.count('class="curve"') == 3
    assert "0.95, which keeps 90 % every 90 days. Usable until" in html


def test_a_confidence_without_decay_says_that_it_stays():
    html = written("{% confidence_curve curve %}", curve=confidence_curve(0.9, None, READ_AT, READ_AT))
    assert "0.9, without decay: it stays as sure as it was." in html
