"""The Celery application. Tasks carry ids only; rows say what is to be done."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kndl_site.settings")

app = Celery("kndl")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
