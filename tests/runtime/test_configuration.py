"""The environment: every setting by name, every bad value refused by its name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kndl_site.configuration import Configuration, ConfigurationError, load
from tests.instances import ROOT


def test_with_nothing_set_it_is_a_laptop() -> None:
    configuration = load({"HOME": "/home/somebody", "KNDL_BROKER_URL": ""})
    assert configuration.embedded
    assert configuration.broker_url == "memory://"
    assert configuration.origin == "http://localhost:8000"
    assert not configuration.secure
    assert configuration.hosts == ["localhost", "127.0.0.1", "[::1]"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KNDL_DATABASE_URL", "mysql://localhost/kndl"),
        ("KNDL_DATABASE_URL", "postgresql://localhost"),
        ("KNDL_OWNER_DATABASE_URL", "postgresql://owner@localhost/kndl"),
        ("KNDL_BROKER_URL", "amqp://localhost"),
        ("KNDL_BIND", "8000"),
        ("KNDL_BIND", "127.0.0.1:0"),
        ("KNDL_BIND", "127.0.0.1:65536"),
        ("KNDL_BIND", "127.0.0.1:http"),
        ("KNDL_PUBLIC_URL", "kndl.example"),
        ("KNDL_PUBLIC_URL", "https://kndl.example/path"),
        ("KNDL_SECRET_KEY", "short"),
        ("KNDL_ROOT_KEY", "short"),
        ("KNDL_REQUIRE_SECOND_FACTOR", "perhaps"),
        ("KNDL_LOG_LEVEL", "loud"),
        ("KNDL_LOG_FORMAT", "xml"),
        ("KNDL_POOL_SIZE", "0"),
        ("KNDL_POOL_SIZE", "many"),
        ("KNDL_TRUSTED_PROXIES", "-1"),
        ("KNDL_NO_SUCH_SETTING", "1"),
        ("KNDL_bind", "127.0.0.1:8000"),
        ("KNDL_SECRET_KEY_FILE", "/no/such/file"),
        ("KNDL_EMBEDDER", "word2vec"),
        ("KNDL_EMBEDDER", "openai:"),
        ("KNDL_EMBEDDER", "fastembed: a"),
        ("KNDL_DISTILLER", "oracle"),
        ("KNDL_LLM_BASE_URL", "models.example/v1"),
        ("KNDL_LLM_BASE_URL", "https://user:password@models.example/v1"),
        ("KNDL_LLM_BASE_URL", "https://models.example/v1?key=1"),
        ("KNDL_LLM_BASE_URL", "file:///etc/passwd"),
        ("KNDL_LLM_BASE_URL", "http://[::1"),
        ("KNDL_LLM_BASE_URL", "http://localhost:port/v1"),
        ("KNDL_LLM_MODEL", "a\nb"),
        ("KNDL_LLM_API_KEY", "two words"),
        ("KNDL_LLM_API_KEY", "ключ"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{name}: "):
        load({name: value})


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("KNDL_LOG_LEVEL", ["loud", "INFO"], "must be debug, info, warning or error"),
        ("KNDL_LOG_FORMAT", ["xml"], "must be console or json"),
        ("KNDL_POOL_SIZE", ["0", "101", "many", "1.5", "-1", "9" * 5_000], "must be a whole number from 1 to 100"),
        ("KNDL_TRUSTED_PROXIES", ["-1", "6", "yes", "٣"], "must be a whole number from 0 to 5"),
    ],
)
def test_what_a_value_must_be_is_said_in_a_plain_sentence(name: str, values: list[str], said: str) -> None:
    for value in values:
        with pytest.raises(ConfigurationError) as refused:
            load({name: value})
        assert str(refused.value) == f"{name}: {said}"


def test_the_values_at_both_ends_are_taken() -> None:
    least = load({"KNDL_POOL_SIZE": "1", "KNDL_TRUSTED_PROXIES": "0", "KNDL_LOG_LEVEL": "debug"})
    most = load({"KNDL_POOL_SIZE": "100", "KNDL_TRUSTED_PROXIES": "5", "KNDL_LOG_FORMAT": "json"})
    assert (least.pool_size, least.trusted_proxies, least.log_level) == (1, 0, "debug")
    assert (most.pool_size, most.trusted_proxies, most.log_format) == (100, 5, "json")


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({"KNDL_DISTILLER": "llm"}, ["KNDL_LLM_BASE_URL", "KNDL_LLM_MODEL"]),
        ({"KNDL_DISTILLER": "llm", "KNDL_LLM_MODEL": "m"}, ["KNDL_LLM_BASE_URL"]),
        ({"KNDL_DISTILLER": "llm", "KNDL_LLM_BASE_URL": "http://localhost:1"}, ["KNDL_LLM_MODEL"]),
        ({"KNDL_EMBEDDER": "openai:small"}, ["KNDL_LLM_BASE_URL"]),
        ({"KNDL_LLM_API_KEY": "k"}, ["KNDL_LLM_API_KEY"]),
    ],
)
def test_a_setting_that_needs_another_names_the_one_that_is_missing(given: dict[str, str], needed: list[str]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load(given)
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == needed


def test_a_language_model_is_taken_with_its_address_and_a_key_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-1\n")
    configuration = load(
        {
            "KNDL_DISTILLER": "llm",
            "KNDL_EMBEDDER": "openai:text-embedding-3-small",
            "KNDL_LLM_BASE_URL": "https://models.example/v1/",
            "KNDL_LLM_MODEL": "small",
            "KNDL_LLM_API_KEY_FILE": str(file),
        }
    )
    assert configuration.llm_base_url == "https://models.example/v1"
    assert configuration.llm_api_key == "sk-1"
    assert (load({}).distiller, load({}).embedder) == ("extractive", "wordllama")


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ConfigurationError) as refused:
        load({"KNDL_BIND": "x", "KNDL_POOL_SIZE": "x", "KNDL_NOT_KNOWN": "x"})
    assert {line.split(":")[0] for line in str(refused.value).splitlines()} == {
        "KNDL_BIND",
        "KNDL_POOL_SIZE",
        "KNDL_NOT_KNOWN",
    }


def test_a_secret_may_come_from_a_file_but_not_from_two_places(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("k" * 40 + "\n")
    assert load({"KNDL_SECRET_KEY_FILE": str(file)}).secret_key == "k" * 40
    with pytest.raises(ConfigurationError, match="KNDL_SECRET_KEY_FILE: KNDL_SECRET_KEY is set as well"):
        load({"KNDL_SECRET_KEY_FILE": str(file), "KNDL_SECRET_KEY": "k" * 40})


def test_a_public_address_decides_about_cookies_and_hosts() -> None:
    configuration = load({"KNDL_PUBLIC_URL": "https://kndl.example/", "KNDL_BIND": "0.0.0.0:8000"})
    assert configuration.origin == "https://kndl.example"
    assert configuration.secure
    assert configuration.hosts == ["kndl.example"]


def test_each_setting_is_documented() -> None:
    documented = set(re.findall(r"`(KNDL_[A-Z_]+)`", (ROOT / "docs" / "configuration.md").read_text()))
    assert {f"KNDL_{field.upper()}" for field in Configuration.model_fields} <= documented


def manage(tmp_path: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("KNDL_", "DJANGO_"))}
    environ |= {"KNDL_DATA_DIR": str(tmp_path / "data")} | settings
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)


def test_a_bad_setting_ends_a_command_with_its_name_and_no_traceback(tmp_path: Path) -> None:
    done = manage(tmp_path, "up", KNDL_BIND="nowhere", KNDL_LOG_LEVEL="loud")
    assert done.returncode == 1
    assert "KNDL_BIND: must be HOST:PORT" in done.stderr
    assert "KNDL_LOG_LEVEL: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    done = manage(tmp_path, "up")
    assert done.returncode == 1
    assert done.stderr.startswith(f"KNDL_DATA_DIR: {tmp_path / 'data'} cannot be used: ")
    assert "Traceback" not in done.stderr


def test_the_deployment_check_is_clean_behind_https_and_names_what_plain_http_lacks(tmp_path: Path) -> None:
    words = ("check", "--deploy", "--tag", "security", "--fail-level", "WARNING")
    clean = manage(tmp_path, *words, KNDL_PUBLIC_URL="https://kndl.example")
    assert (clean.returncode, clean.stderr) == (0, ""), clean.stderr
    plain = manage(tmp_path, *words, KNDL_REQUIRE_SECOND_FACTOR="no")
    named = set(re.findall(r"\((security\.W\d+|kndl\.W\d+)\)", plain.stderr))
    assert named == {"security.W004", "security.W012", "security.W016", "kndl.W002"}
