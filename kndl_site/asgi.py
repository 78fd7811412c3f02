"""The ASGI application: Django, for uvicorn or any other server."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kndl_site.settings")

application = get_asgi_application()
