"""The running site: settings, URLs, ASGI, Celery and `up`."""
