from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_words_and_predicates")]

    operations = [
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                fields=["scope", "inference", "-recorded_at"],
                condition=Q(inference__isnull=False),
                name="fact_inferred",
            ),
        ),
    ]
