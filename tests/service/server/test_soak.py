"""The short form of the soak; the long one is `python tests/bench/soak.py --minutes 10`."""

import subprocess
import sys
from pathlib import Path


def test_soak() -> None:
    script = Path(__file__).parents[2] / "bench" / "soak.py"
    command = [sys.executable, str(script), "--minutes", "0.33"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
