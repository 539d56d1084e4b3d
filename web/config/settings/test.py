"""Settings of the test suite: a data folder of its own, tasks run at once."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("PORTOLAN_DEBUG", "1")
# Tests that run side by side are processes of pytest-xdist, which inherit the variable.
if "PORTOLAN_DATA_DIR" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["PORTOLAN_DATA_DIR"] = tempfile.mkdtemp(prefix="portolan-test-")
    atexit.register(shutil.rmtree, os.environ["PORTOLAN_DATA_DIR"], ignore_errors=True)
os.environ.setdefault("PORTOLAN_ALLOW_LOCAL_REPOSITORIES", "1")
os.environ.setdefault("PORTOLAN_RECORD_CALLS", "0")  # tests of recording ask for it
# All tests come from one address; those of rate limits set their own.
os.environ.setdefault("PORTOLAN_MAX_MESSAGES_PER_MINUTE", "0")
os.environ.setdefault("PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE", "0")
os.environ.setdefault("PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE", "0")

from web.config.settings.base import *  # noqa: F403

DEBUG = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TASKS = {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"}}
# The log's thread would keep a connection to the tests' database.
LOGGING["root"]["handlers"] = ["file", "stderr"]  # noqa: F405
LOGGING["handlers"].pop("table", None)  # noqa: F405
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 - WhiteNoise warns without it
# A file, not memory: the sidecar's threads each have a connection, which SQLite in memory neither
# closes nor lets wait for one another.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}  # noqa: F405
