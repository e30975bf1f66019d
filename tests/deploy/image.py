"""The image of deploy/Containerfile without a container engine: its steps, in a root of their own by bubblewrap."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from deploy.rules import DEPLOY

ROOT = DEPLOY.parent
CONTAINERFILE = DEPLOY / "Containerfile"
FOLDERS = ("/opt/baccarat-pricing", "/var/lib/baccarat-pricing", "/src")
"""What the image has of its own; all else is this machine's, and can only be read."""
PATH = f"{sys.base_prefix}/bin:/usr/bin:/bin"


class Step(NamedTuple):
    """One instruction."""

    name: str
    text: str


def stages() -> list[list[Step]]:
    """The instructions of each stage."""
    found: list[list[Step]] = []
    lines = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text("utf-8")).splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            name, _, text = line.partition(" ")
            if name == "FROM":
                found.append([])
            found[-1].append(Step(name, text))
    return found


def of(name: str, stage: int = -1) -> list[str]:
    """The texts of all instructions of a name."""
    return [step.text for step in stages()[stage] if step.name == name]


def environment() -> dict[str, str]:
    """What ENV sets."""
    values = dict(part.split("=", 1) for text in of("ENV") for part in text.split())
    return {name: value.replace("$PATH", PATH) for name, value in values.items()}


def command(name: str) -> list[str]:
    """The command of ENTRYPOINT or HEALTHCHECK."""
    (text,) = of(name)
    found: list[str] = json.loads(text[text.index("[") :])
    return found


def user() -> tuple[str, str]:
    """User and group."""
    (text,) = of("USER")
    uid, _, gid = text.partition(":")
    return uid, gid


class Image:
    """A folder with what the image has of its own, in which commands run as in a container."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for each in FOLDERS:
            (folder / each[1:]).mkdir(parents=True)

    def copy(self, text: str) -> None:
        """COPY, into the build's working directory."""
        *sources, target = text.split()
        for source in sources:
            if (ROOT / source).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
                shutil.copytree(ROOT / source, self._folder / "src" / target, ignore=ignored)
            else:
                shutil.copy(ROOT / source, self._folder / "src" / target)

    def command(
        self, arguments: Sequence[str], *, writable: Sequence[str], ids: tuple[str, str], values: Mapping[str, str]
    ) -> list[str]:
        """A command line that runs another in the image."""
        own = [
            part
            for each in FOLDERS
            for part in ("--bind" if each in writable else "--ro-bind", str(self._folder / each[1:]), each)
        ]
        inside = ["--unshare-user", "--unshare-pid", "--uid", ids[0], "--gid", ids[1], "--die-with-parent"]
        setting = [part for name, value in values.items() for part in ("--setenv", name, value)]
        mounts = [*machine(), *own, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--remount-ro", "/"]
        return ["bwrap", *inside, *mounts, *setting, *arguments]

    def as_built(self, arguments: Sequence[str], **values: str) -> list[str]:
        """A command line for what runs in the finished image: not as root, on a tree that is read-only."""
        return self.command(arguments, writable=of("VOLUME"), ids=user(), values={**environment(), **values})


def machine() -> Iterator[str]:
    """This machine's files, to be read."""
    for top in ("/", "/opt"):
        for entry in os.scandir(top):
            if entry.path in ("/opt", "/tmp", "/proc", "/dev", "/sys", "/var", *FOLDERS):
                continue
            yield from (
                ("--symlink", os.readlink(entry), entry.path)
                if entry.is_symlink()
                else (
                    "--ro-bind",
                    entry.path,
                    entry.path,
                )
            )


def build(folder: Path) -> Image:
    """The steps of the build's stage, but for Debian's packages, which are this machine's."""
    image = Image(folder)
    for step in stages()[0]:
        if step.name == "COPY":
            image.copy(step.text)
        elif step.name == "RUN" and not step.text.startswith("apt-get "):
            arguments = ["--chdir", "/src", "sh", "-euc", step.text]
            line = image.command(arguments, writable=FOLDERS, ids=("0", "0"), values={"PATH": PATH})
            ran = subprocess.run(line, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert ran.returncode == 0, ran.stdout
    return image
