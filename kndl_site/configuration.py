"""The one place that reads the environment.

Every value is `KNDL_…`; a secret may also come from a file named by `KNDL_…_FILE`.
A bad value is refused at start, by the name of its variable.
"""

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

PREFIX = "KNDL_"
ROOT = Path(__file__).resolve().parent.parent

_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})
# Read by the command-line tools, not by the server.
_CLIENT_ONLY = {"STORAGE", "TOKEN", "TOKEN_FILE", "PURPOSE", "ALLOW_HTTP", "REQUIRE"}


class ConfigurationError(Exception):
    """A variable of the environment has a value that cannot be used; the message names it."""


def _database_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ValueError("must begin with postgresql://")
    if not parts.path.strip("/"):
        raise ValueError("must name a database: postgresql://user:password@host:5432/kndl")
    return value


def _broker_url(value: str) -> str:
    if urlsplit(value).scheme not in {"memory", "redis", "rediss"}:
        raise ValueError("must be memory://, redis://… or rediss://…")
    return value


def _bind(value: str) -> str:
    host, _, port = value.rpartition(":")
    if not host or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ValueError("must be HOST:PORT with a port from 1 to 65535, for example 127.0.0.1:8000")
    return value


def _public_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("must be http(s)://host[:port] with nothing behind it")
    return value.rstrip("/")


def _names(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _switch(value: object) -> object:
    if isinstance(value, str):
        word = value.strip().lower()
        if word not in _ON | _OFF:
            raise ValueError("must be true or false")
        return word in _ON
    return value


def _one_of(*words: str) -> BeforeValidator:
    def check(value: object) -> object:
        if value not in words:
            raise ValueError(f"must be {', '.join(words[:-1])} or {words[-1]}")
        return value

    return BeforeValidator(check)


def _number(low: int, high: int) -> BeforeValidator:
    def check(value: object) -> object:
        number = int(value) if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value) else value
        if not isinstance(number, int) or not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    return BeforeValidator(check)


def _embedder(value: str) -> str:
    kind, _, model = value.partition(":")
    if value != "wordllama" and (kind not in {"fastembed", "openai"} or not _is_plain(model)):
        raise ValueError("must be wordllama, fastembed:MODEL-OR-FOLDER or openai:MODEL")
    return value


def _base_url(value: str) -> str:
    parts = urlsplit(value)
    plain = _is_plain(value) and not parts.query and not parts.fragment and "@" not in parts.netloc
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0 or not plain:
        raise ValueError("must be http(s)://host[:port][/path], with no password, query or fragment")
    return value.rstrip("/")


def _header_value(value: str) -> str:
    if not re.fullmatch("[!-~]{1,4096}", value):
        raise ValueError("must be letters, digits and signs of ASCII, without white space")
    return value


def _model(value: str) -> str:
    if not _is_plain(value):
        raise ValueError(
            "must be a name of at most 500 characters, without control characters or white space around it"
        )
    return value


def _is_plain(value: str) -> bool:
    return 0 < len(value) <= 500 and value == value.strip() and value.isprintable()


def _key(value: str) -> str:
    if len(value) < 32:
        raise ValueError("must have 32 characters or more")
    return value


DatabaseUrl = Annotated[str, AfterValidator(_database_url)]
Switch = Annotated[bool, BeforeValidator(_switch)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["console", "json"]
Key = Annotated[str, AfterValidator(_key)]
Distiller = Literal["extractive", "llm"]


class Configuration(BaseModel):
    """What the environment says; see docs/configuration.md for each variable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] = ROOT / "data"
    database_url: DatabaseUrl | None = None
    owner_database_url: DatabaseUrl | None = None
    broker_url: Annotated[str, AfterValidator(_broker_url)] = "memory://"
    bind: Annotated[str, AfterValidator(_bind)] = "127.0.0.1:8000"
    public_url: Annotated[str, AfterValidator(_public_url)] | None = None
    allowed_hosts: Names = ()
    secret_key: Key | None = None
    root_key: Key | None = None
    require_second_factor: Switch = True
    debug: Switch = False
    log_level: Annotated[LogLevel, _one_of(*get_args(LogLevel))] = "info"
    log_format: Annotated[LogFormat, _one_of(*get_args(LogFormat))] = "console"
    pool_size: Annotated[int, _number(1, 100)] = 8
    trusted_proxies: Annotated[int, _number(0, 5)] = 0
    embedder: Annotated[str, AfterValidator(_embedder)] = "wordllama"
    distiller: Annotated[Distiller, _one_of(*get_args(Distiller))] = "extractive"
    llm_base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    llm_model: Annotated[str, AfterValidator(_model)] | None = None
    llm_api_key: Annotated[str, AfterValidator(_header_value)] | None = None

    @property
    def embedded(self) -> bool:
        """True when Kndl runs its own PostgreSQL in the data folder."""
        return self.database_url is None

    @property
    def host(self) -> str:
        return self.bind.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        return int(self.bind.rpartition(":")[2])

    @property
    def origin(self) -> str:
        """The address people open; `localhost` for a loopback bind, since passkeys need a name."""
        if self.public_url:
            return self.public_url
        host = "localhost" if self.on_loopback else self.host
        return f"http://{host}:{self.port}"

    @property
    def on_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def secure(self) -> bool:
        """Whether browsers reach us over https, which decides the Secure flag of cookies."""
        return self.origin.startswith("https:")

    @property
    def hosts(self) -> list[str]:
        """Host headers that are answered."""
        own = [urlsplit(self.origin).hostname or "localhost"]
        if self.on_loopback:
            own += ["localhost", "127.0.0.1", "[::1]"]
        return list(dict.fromkeys([*own, *self.allowed_hosts]))


def load(environ: Mapping[str, str]) -> Configuration:
    """Read the configuration from `environ`.

    Raises ConfigurationError naming each variable that is unknown or has a value that cannot be used.
    """
    given, faults = _given(environ)
    try:
        configuration = Configuration.model_validate(given)
    except ValidationError as error:
        for fault in error.errors():
            reason = fault["msg"].removeprefix("Value error, ")
            faults.append(f"{PREFIX}{str(fault['loc'][0]).upper()}: {reason}")
        raise ConfigurationError("\n".join(faults)) from None
    faults += _lacking(configuration)
    if faults:
        raise ConfigurationError("\n".join(faults))
    return configuration


def _lacking(given: Configuration) -> list[str]:
    """What one setting needs of another that is not there."""
    faults = []
    if given.owner_database_url and given.embedded:
        faults.append("KNDL_OWNER_DATABASE_URL: goes with KNDL_DATABASE_URL, which is not set")
    if given.distiller == "llm":
        needed = {"KNDL_LLM_BASE_URL": given.llm_base_url, "KNDL_LLM_MODEL": given.llm_model}
        faults += [
            f"{name}: is needed by KNDL_DISTILLER=llm, and not set" for name, value in needed.items() if not value
        ]
    elif given.embedder.startswith("openai:") and not given.llm_base_url:
        faults.append("KNDL_LLM_BASE_URL: is needed by KNDL_EMBEDDER=openai:…, and not set")
    if given.llm_api_key and not given.llm_base_url:
        faults.append("KNDL_LLM_API_KEY: goes with KNDL_LLM_BASE_URL, which is not set")
    return faults


def _given(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The values by field, files read; and what is wrong with the variables themselves."""
    given: dict[str, str] = {}
    faults: list[str] = []
    for name, value in environ.items():
        key = name.removeprefix(PREFIX)
        if key == name or key in _CLIENT_ONLY or not value:
            continue
        if key.endswith("_FILE"):
            key = key.removesuffix("_FILE")
            if environ.get(PREFIX + key):
                faults.append(f"{name}: {PREFIX}{key} is set as well; keep one of them")
                continue
            try:
                value = Path(value).read_text("utf-8").rstrip("\r\n")
            except (OSError, UnicodeDecodeError) as error:
                faults.append(f"{name}: cannot be read ({error})")
                continue
        if key.lower() not in Configuration.model_fields or not re.fullmatch("[A-Z_]+", key):
            faults.append(f"{name}: there is no such setting")
            continue
        given[key.lower()] = value
    return given, faults
