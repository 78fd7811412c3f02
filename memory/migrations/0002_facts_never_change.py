from django.db import migrations

from audit.append_only import append_only
from memory.facts.groups import TRIGGER


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        append_only("fact"),
        append_only("fact_parent"),
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
    ]
