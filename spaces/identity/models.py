"""The identity row of a Space's database."""

from django.db import models
from django.db.models import Q


class SpaceIdentity(models.Model):
    """Written once, when the database is made; a database with another Space's row is never read."""

    single = models.BooleanField(primary_key=True, default=True)
    space_id = models.UUIDField()
    made_at = models.DateTimeField()

    class Meta:
        db_table = "space_identity"
        constraints = [models.CheckConstraint(condition=Q(single=True), name="space_identity_is_one_row")]

    def __str__(self) -> str:
        return str(self.space_id)
