"""Data keys, wrapped."""

from django.db import models


class DataKey(models.Model):
    """A data key of a Space, wrapped by a key-encryption key.

    `name` is what it was made for: `space`, or a scope's subject (its keyed hash), or a fact that has no subject yet.
    `subject` is whose content it encrypts, by which erasure finds it. A destroyed key has no bytes any more.
    """

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField(default=0)
    name = models.TextField(db_collation="C")
    subject = models.TextField(null=True, db_collation="C")
    wrapped_by = models.PositiveIntegerField()
    wrapped = models.BinaryField(null=True)
    made_at = models.DateTimeField(auto_now_add=True)
    destroyed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "data_key"
        constraints = [models.UniqueConstraint(fields=["scope", "name"], name="data_key_once")]
        indexes = [
            models.Index(fields=["scope", "subject"], name="data_key_subject"),
            models.Index(fields=["wrapped_by"], name="data_key_wrapped_by"),
        ]

    def __str__(self) -> str:
        return f"data key {self.number}"
