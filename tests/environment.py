"""Loaded before anything reads the environment: a folder of this test process, and none of the caller's settings."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

for _name in [name for name in os.environ if name.startswith("KNDL_") and name != "KNDL_REQUIRE"]:
    del os.environ[_name]
FOLDER = Path(tempfile.mkdtemp(prefix="kndl-test-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
# pytest closes the folder that all its runs share to everybody else whenever one begins; servers of another would stop.
os.environ["PYTEST_DEBUG_TEMPROOT"] = str(FOLDER)
os.environ["KNDL_DATA_DIR"] = str(FOLDER / "data")
os.environ["KNDL_LOG_LEVEL"] = "warning"
