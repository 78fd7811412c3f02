"""The web server of `up`: uvicorn on a socket that is already bound."""

import uvicorn

from kndl_site.asgi import application


class Server(uvicorn.Server):
    """uvicorn with our settings; it installs the handlers of SIGINT and SIGTERM itself."""

    def __init__(self) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                log_config=None,
                access_log=False,
                lifespan="off",
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=20,
            )
        )
