"""A disk without space is said, and work goes on when there is some: without a restart, and nothing half done."""

import subprocess
import sys
from pathlib import Path

FULL_DISK = Path(__file__).with_name("full_disk.py")


def run(*arguments: str | Path) -> None:
    command = [sys.executable, FULL_DISK, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert result.returncode == 0, result.stderr


def test_a_full_file_system(tiny: Path) -> None:
    run(tiny)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    run(tmp_path, "limit")
