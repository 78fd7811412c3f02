"""PostgreSQL run by Kndl itself, in the data folder.

Importing this starts nothing and needs no Django. `addresses` says where the server of a data folder is and how to
log in; `server` starts it, shares it between processes and stops it after the last one.
"""

from kndl_site.embedded.addresses import Address, connection_parameters
from kndl_site.embedded.errors import AlreadyRunning, EmbeddedServerError, NeverStarted
from kndl_site.embedded.locks import sole_runner
from kndl_site.embedded.postmaster import is_running
from kndl_site.embedded.roles import install_vector, superuser_connection
from kndl_site.embedded.server import EmbeddedServer

__all__ = [
    "Address",
    "AlreadyRunning",
    "EmbeddedServer",
    "EmbeddedServerError",
    "NeverStarted",
    "connection_parameters",
    "install_vector",
    "is_running",
    "sole_runner",
    "superuser_connection",
]
