"""Django's settings. What differs between installations comes from `configuration`."""

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from kndl_site import databases, secrets
from kndl_site.configuration import ConfigurationError, load
from kndl_site.embedded import install_vector
from kndl_site.logs import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent

# Read when numpy is loaded, which is later. Many requests compute at once, each a little: the waiting threads of a
# pool for each of them cost more than they bring.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    KNDL = load(os.environ)
except ConfigurationError as error:
    raise ImproperlyConfigured(f"The environment cannot be used:\n{error}") from None

try:
    SECRET_KEY = secrets.secret_key(KNDL)
    KNDL_ROOT_KEY = secrets.root_key(KNDL)
except OSError as error:
    raise ImproperlyConfigured(f"KNDL_DATA_DIR: {KNDL.data_dir} cannot be used: {error}") from None
KNDL_AUDIT_HEADS = KNDL.data_dir / "audit-heads"
DEBUG = KNDL.debug
# What DEBUG shows of an error holds no value of a variable.
DEFAULT_EXCEPTION_REPORTER_FILTER = "kndl_site.debugging.WithoutValues"
ALLOWED_HOSTS = KNDL.hosts
CSRF_TRUSTED_ORIGINS = [KNDL.origin]

INSTALLED_APPS = [
    # Without looking for other people's admin modules: what is shown there is said in desk/admin_tables.py.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "csp",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "common",
    "audit",
    "accounts",
    "spaces",
    "spaces.identity",
    "memory",
    "library",
    "domains",
    "seats",
    "desk",
    "kndl_site",
]

MIDDLEWARE = [
    "kndl_site.middleware.request_id",
    "kndl_site.middleware.give_back_connections",
    "kndl_site.middleware.in_pieces",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.second_factor.second_factor",
    "django_htmx.middleware.HtmxMiddleware",
    "kndl_site.middleware.errors_as_pages",
]

ROOT_URLCONF = "kndl_site.urls"
ASGI_APPLICATION = "kndl_site.asgi.application"
WSGI_APPLICATION = "kndl_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "desk.context.frame",
            ],
            "builtins": ["common.templatetags.kndl_marks"],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
        },
    }
]

# Databases. The application's role in `default`; migrations use the owner's (see spaces/databases).
DATABASES = {"default": databases.control_database(KNDL)}
DATABASE_ROUTERS = ["spaces.databases.router.SpaceRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains, and
    "security.W021",  # preloading, are for whoever owns the whole domain to decide
    "security.W008",  # the proxy that speaks https redirects to it; behind it we speak http
]


def KNDL_DATABASE_OF_URL(url: str) -> dict[str, Any]:  # noqa: N802 - a setting
    return databases.of_url(url)


def KNDL_OWNER_CREDENTIALS() -> dict[str, Any]:  # noqa: N802 - a setting
    return databases.owner_credentials(KNDL)


def KNDL_INSTALL_VECTOR(database: str) -> None:  # noqa: N802 - a setting
    """pgvector needs a superuser; on a server of one's own the operator has made it (docs/operations.md)."""
    if KNDL.embedded:
        install_vector(KNDL.data_dir, database)


# Cache: one process keeps it in memory, several share Redis.
if KNDL.broker_url.startswith("memory:"):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": KNDL.broker_url}}

# People.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["name", "email"]},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "accounts.forms.SignInForm",
    "add_email": "accounts.forms.NewAddressForm",
}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_MODEL_EMAIL_FIELD = "email"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_USER_DISPLAY = "accounts.adapter.display_name"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/15m/key", "reauthenticate": "10/m/user"}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Kndl"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = KNDL.on_loopback
ALLAUTH_TRUSTED_PROXY_COUNT = KNDL.trusted_proxies
# Kndl sends no mail: `manage.py sign_in_link` prints what a mail would hold.
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60

# Browsers.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = KNDL.secure
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "kndl_session" if KNDL.port == 8000 else f"kndl_session_{KNDL.port}"
CSRF_COOKIE_NAME = "kndl_csrf" if KNDL.port == 8000 else f"kndl_csrf_{KNDL.port}"
CSRF_FAILURE_VIEW = "desk.error_pages.csrf_refused"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if KNDL.secure else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = False
X_FRAME_OPTIONS = "DENY"
if KNDL.trusted_proxies:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # The second factor's QR code is a data: image.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "kndl_site.uploads.UnnamedFileUploadHandler",
]

# REST.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "seats.authentication.SeatAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["common.rest.rendering.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["common.rest.parsing.Untouched"],
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "common.rest.problem.answer",
    "DEFAULT_SCHEMA_CLASS": "common.rest.schema.Description",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Kndl",
    "DESCRIPTION": "See, question and govern what AI assistants remember.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    # 3.1 knows null, which an optional field may be.
    "OAS_VERSION": "3.1.1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
}

# Words, time, files.
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = KNDL.data_dir / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 300
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Work in the background.
# With a host named, kombu does not warn that it took one; in memory there is none.
CELERY_BROKER_URL = "memory://localhost/" if KNDL.broker_url.startswith("memory:") else KNDL.broker_url
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.1} if KNDL.broker_url.startswith("memory:") else {}
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # one entry that is always due: nothing to keep in a file
CELERY_BEAT_SCHEDULE = {"tick": {"task": "kndl.tick", "schedule": 60.0}}

LOGGING_CONFIG = None
logging_settings(KNDL)
