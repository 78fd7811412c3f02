"""A domain in a data folder of its own."""

from pathlib import Path

import pytest

from accounts.models import User
from domains.holding import take_up
from domains.making import make_domain
from spaces.access import person_caller
from spaces.databases.transactions import attempted_here
from tests.accounts.factors import give_app
from tests.actors import Trio, make_user
from tests.domains.together import Together, make_project


@pytest.fixture
def data(settings, tmp_path) -> Path:
    """The data folder of the test."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings.KNDL = settings.KNDL.model_copy(update={"data_dir": folder})
    return folder


@pytest.fixture
def together(trio: Trio, data: Path) -> Together:
    """The domain `shared`, its members, and everybody."""
    boss = make_user("boss")
    User.objects.filter(pk=boss.pk).update(instance_role=User.InstanceRole.OWNER)
    boss.refresh_from_db()
    for user in (boss, trio.owner, trio.stranger):
        give_app(user)
    alpha, beta = make_project(trio.space, "alpha"), make_project(trio.space, "beta")
    gamma = make_project(trio.elsewhere, "gamma")
    domain = attempted_here(
        lambda act: make_domain(act, person_caller(boss), slug="shared", name="Shared", members=[alpha, beta])
    )
    take_up(domain)
    return Together(trio, boss, domain, alpha, beta, gamma)
