"""Loaded before anything reads the environment: a folder of this test process, and none of the caller's settings."""

import os
import tempfile
from pathlib import Path

for _name in [name for name in os.environ if name.startswith("KNDL_") and name != "KNDL_REQUIRE"]:
    del os.environ[_name]
FOLDER = Path(tempfile.mkdtemp(prefix="kndl-test-"))
os.environ["KNDL_DATA_DIR"] = str(FOLDER / "data")
os.environ["KNDL_LOG_LEVEL"] = "warning"
