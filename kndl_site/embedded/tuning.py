"""PostgreSQL's settings, written anew at each start, so that a newer Kndl changes them.

What an operator sets with ALTER SYSTEM still wins: PostgreSQL reads it last.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

MB = 1024 * 1024
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def memory() -> int:
    """Bytes of memory this machine, or the container we are in, has."""
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(present, int(CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):  # no cgroup, or "max"
        return present


def server_settings(socket_dir: Path, *, memory: int, durable: bool) -> dict[str, str]:
    """Settings for one laptop with `memory` bytes. Not `durable` is quicker and loses data in a crash: for tests."""
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": '"' + str(socket_dir).replace('"', '""') + '"',
        "unix_socket_permissions": "0700",
        "cluster_name": "kndl",
        "max_connections": "60",
        "shared_buffers": f"{max(16, min(memory // 4 // MB, 512))}MB",
        "effective_cache_size": f"{max(16, memory // 2 // MB)}MB",
        "work_mem": "16MB",
        "maintenance_work_mem": "256MB",
        "max_wal_size": "2GB",
        "random_page_cost": "1.1",
        "jit": "off",
        "timezone": "UTC",
        "log_timezone": "UTC",
        # A failing row or statement holds people's content: the log names the error only.
        "log_error_verbosity": "terse",
        "log_min_error_statement": "panic",
    }
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "128MB"}
    return settings


def configuration_file(settings: Mapping[str, str]) -> str:
    """The settings as PostgreSQL reads them. Raises ValueError for what cannot be written on one line."""
    lines = ["# Written by Kndl at each start of the server; changes here are lost. Use ALTER SYSTEM."]
    for name, value in settings.items():
        if not re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", name) or re.search(r"[\x00-\x1f]", value):
            raise ValueError(f"not a setting of PostgreSQL: {name} = {value!r}")
        quoted = value.replace("\\", "\\\\").replace("'", "''")
        lines.append(f"{name} = '{quoted}'")
    return "\n".join(lines) + "\n"
