"""The WSGI application, for servers such as gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kndl_site.settings")

application = get_wsgi_application()
