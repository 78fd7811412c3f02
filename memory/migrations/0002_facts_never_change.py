from django.db import migrations

from audit.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [append_only("fact"), append_only("fact_parent")]
