"""Bringing views up to date soon after members or cross-read changed; a lost message is made up for by the tick."""

import uuid

from celery import shared_task
from django.db import connections

from domains import siblings
from domains.models import Domain
from spaces import working


@shared_task(name="kndl.refresh_domain_views")
def refresh_views(domain_id: str) -> None:
    """Bring the views of a domain up to date; done twice it changes nothing."""
    try:
        domain = Domain.objects.filter(pk=domain_id).first()
        if domain is not None:
            siblings.refresh(domain)
    finally:
        connections.close_all()


def wake(domain_id: uuid.UUID) -> None:
    """Tell a worker. Without a broker the tick does it later."""
    working.send(refresh_views, domain_id)
