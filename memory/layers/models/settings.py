"""What a Space says of its layers."""

from django.db import models
from django.db.models import Q


class LayerSettings(models.Model):
    """What a Space says of its layers: one row, made with the defaults when it is first read.

    τ in days, thresholds of strength 0–1, times in minutes and seconds.
    """

    single = models.BooleanField(primary_key=True, default=True)
    review = models.BooleanField(default=False)
    distiller = models.CharField(max_length=16, default="")
    phi_to_model = models.BooleanField(default=False)
    fragment_tau = models.FloatField(default=14)
    event_tau = models.FloatField(default=45)
    fragment_threshold = models.FloatField(default=0.05)
    event_threshold = models.FloatField(default=0.02)
    idle_minutes = models.PositiveIntegerField(default=30)
    full_lines = models.PositiveIntegerField(default=200)
    quiet_seconds = models.PositiveIntegerField(default=30)
    embedder = models.TextField(default="")
    version = models.PositiveIntegerField(default=1)

    class Meta:
        db_table = "layer_settings"
        constraints = [models.CheckConstraint(condition=Q(single=True), name="layer_settings_single")]

    def __str__(self) -> str:
        return "layer settings"
