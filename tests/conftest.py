"""Settings of the whole suite."""

import os

from hypothesis import settings

# No deadline: the first example may pay for imports and caches, and a busy machine must not make a test fail.
settings.register_profile("local", deadline=None)
# The same examples in every run, so that a red build is about the change under test.
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
