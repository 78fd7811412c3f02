from django.db import migrations

from audit.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("domains", "0001_initial")]

    operations = [append_only("domains_logline")]
