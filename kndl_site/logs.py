"""Structured logs: one line a thing that happened, with the request, the Space and the actor it belongs to."""

import logging
import sys

import structlog
from structlog.typing import Processor

from kndl_site.configuration import Configuration
from kndl_site.tracebacks import without_content


def _named_as_here(record: logging.LogRecord) -> bool:
    """Django names its own setting for a host that is not answered; here it is another, and no fault to trace."""
    record.msg = record.getMessage().replace(" ALLOWED_HOSTS", " KNDL_ALLOWED_HOSTS")
    record.args, record.exc_info = None, None
    return True


def logging_settings(configuration: Configuration) -> None:
    """Send structlog and the standard library's loggers through one formatter to stderr."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    as_json = configuration.log_format == "json"
    renderer: Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            without_content,
            renderer,
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(configuration.log_level.upper())
    # Their own lines about each request are replaced by ours, which hold no query and no content.
    for name in ("uvicorn.access", "django.request", "django.server"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name in ("httpx", "faker", "kombu", "amqp", "celery.beat"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # Asked to say more, these say what people wrote: statements with their values, variables of templates.
    for name in ("django.db.backends", "django.template", "psycopg"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("django.security.DisallowedHost").filters = [_named_as_here]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
