"""README.md does what it says: every command in it is run, and what it shows is what comes out.

`python tests/test_readme.py` writes what its commands print now into it; look at the difference before it is kept.
"""

import doctest
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

from pricing.domain.errors import PricingError
from pricing.games import load_games
from pricing.games.reader import read_game_type
from pricing.service.settings import InvalidSettings, markdown_table
from pricing.service.telemetry import metric_table

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
SET_UP = "python3 -m venv .venv "
SETTINGS = re.compile(r"(?<=<!-- settings -->\n).*?(?=<!-- /settings -->)", re.DOTALL)
METRICS = re.compile(r"(?<=<!-- metrics -->\n).*?(?=<!-- /metrics -->)", re.DOTALL)
SKETCHES = {"java", "go"}
"""Said to be not run."""
TOOLS = {
    "buf": ("buf", "is in the extra dev"),
    "node": ("npm", "comes with Node"),
    "openssl": ("openssl", "is Debian's package openssl"),
}
"""By a word of a command: the program that it needs, and where that is to be had."""
ONLY_COLLECTED = "pytest "
"""Runs of this suite inside of itself are not done, but every test that they name must be there."""


class Block(NamedTuple):
    """A fenced block."""

    number: int
    language: str
    text: str
    line: int

    @property
    def commands(self) -> list[str]:
        if self.language == "console":
            return [line[2:] for line in self.text.splitlines() if line.startswith("$ ")]
        return self.text.splitlines() if self.language == "sh" else []

    @property
    def serves(self) -> bool:
        return self.language == "sh" and self.commands[-1].startswith("baccarat-pricing serve")

    @property
    def comes_first(self) -> bool:
        """Whether later blocks need what it makes: a file, or a server."""
        return self.is_file or self.serves or self.text.startswith("cat > ")

    @property
    def is_file(self) -> bool:
        """Whether its first line is a comment that names a file, with this text."""
        return self.language in ("toml", "js") and self.text.startswith(("# ", "// "))

    @property
    def sets_up(self) -> bool:
        return self.text.startswith(SET_UP)


def blocks() -> list[Block]:
    text = README.read_text("utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(number, each[1], each[2], text.count("\n", 0, each.start()) + 1) for number, each in enumerate(found)]


BLOCKS = blocks()


def name(block: Block) -> str:
    return f"line {block.line}: {block.text.splitlines()[0][:50]}"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class Reader:
    """Somebody who follows README.md from its start, in a folder of their own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._ports = {port: str(free_port()) for port in ("50051", "50052", "9464")}
        self._done: set[int] = set()
        shutil.copytree(ROOT / "proto", folder / "proto")

    def run(self, block: Block) -> str:
        """Run a block's commands and give what they print, once the files and servers before it are there."""
        for other in BLOCKS[: block.number]:
            if other.comes_first:
                self._once(other)
        return self._once(block)

    def _once(self, block: Block) -> str:
        if block.number in self._done:
            return ""
        self._done.add(block.number)
        if block.is_file:
            file = self._folder / block.text.split("\n", 1)[0].split()[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(self.ported(block.text), "utf-8")
            return ""
        need(block)
        if block.serves:
            *before, last = block.commands
            self._bash("\n".join(before))
            self._serve(last)
            return ""
        if any(command.startswith("node ") for command in block.commands):
            self._bash("npm install --no-save --no-audit --no-fund --silent @grpc/grpc-js @grpc/proto-loader")
        in_checkout = any("tests/" in command for command in block.commands)
        return self._bash("\n".join(block.commands), ROOT if in_checkout else self._folder)

    def ported(self, text: str) -> str:
        """The text with ports that are free in place of those that are shown."""
        for port, free in self._ports.items():
            text = re.sub(rf"\b{port}\b", free, text)
        return text

    def _environment(self) -> dict[str, str]:
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith("BACCARAT_PRICING_")},
            "PATH": f"{Path(sys.executable).parent}:{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
            "XDG_DATA_HOME": str(self._folder / "data"),
            "BACCARAT_PRICING_LISTEN": f"127.0.0.1:{self._ports['50051']}",
            "BACCARAT_PRICING_SERVER": f"127.0.0.1:{self._ports['50051']}",
            "BACCARAT_PRICING_HTTP": f"127.0.0.1:{self._ports['9464']}",
        }

    def _bash(self, script: str, folder: Path | None = None) -> str:
        script = self.ported(script)
        if script.startswith(ONLY_COLLECTED):
            script = f"{script} --collect-only -q -p no:cacheprovider"
        options = "-uo" if "$?" in script else "-euo"
        command = ["bash", options, "pipefail", "-c", script]
        ran = subprocess.run(
            command,
            check=False,
            cwd=folder or self._folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert ran.returncode == 0, ran.stdout
        return ran.stdout

    def _serve(self, command: str) -> None:
        """Start a server and wait until it says that it serves."""
        log = self._folder / "serve.log"
        with log.open("w") as output:
            arguments = shlex.split(self.ported(command))
            arguments[0] = str(Path(sysconfig.get_path("scripts"), arguments[0]))
            process = subprocess.Popen(arguments, cwd=self._folder, env=self._environment(), stderr=output)
        self._stack.callback(process.wait)
        self._stack.callback(process.terminate)
        give_up = time.monotonic() + 30
        while '"serving"' not in log.read_text("utf-8"):
            assert process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < give_up, log.read_text("utf-8")
            time.sleep(0.05)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with ExitStack() as stack:
        yield Reader(tmp_path_factory.mktemp("readme"), stack)


def need(block: Block) -> None:
    for word, (program, where) in TOOLS.items():
        asked = any(command.split()[0] == word for command in block.commands) or (
            word == "gcc" and "bench" in block.text
        )
        if asked and not shutil.which(program, path=f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"):
            pytest.skip(f"needs {program}, which {where}")


def shown(block: Block) -> str:
    """What a console block shows below its one command."""
    command, _, output = block.text.partition("\n")
    assert command.startswith("$ ")
    return output


def plain(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.commands and not block.sets_up], ids=name)
def test_commands_run_and_print_what_is_shown(reader: Reader, block: Block) -> None:
    printed = reader.run(block)
    if block.language == "console":
        checker = doctest.OutputChecker()
        example = doctest.Example(block.text, shown(block))
        same = checker.check_output(plain(shown(block)), plain(printed), doctest.ELLIPSIS)
        assert same, checker.output_difference(example, printed, doctest.REPORT_NDIFF)


def test_python_prints_what_is_shown(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks one after the other, as in one session."""
    (toml,) = [block for block in BLOCKS if block.language == "toml" and block.is_file]
    reader.run(BLOCKS[toml.number + 1])
    reader.run(next(block for block in BLOCKS if block.serves))
    monkeypatch.chdir(reader._folder)
    session: dict[str, object] = {}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    for block in BLOCKS:
        if block.language == "python":
            text = reader.ported(block.text)
            test = doctest.DocTestParser().get_doctest(text, session, "README.md", str(README), block.line)
            assert test.examples
            runner.run(test, out=report.append, clear_globs=False)
            session = test.globs
    assert runner.summarize(verbose=False).attempted > 10
    assert not report, "".join(report)


def test_parts_of_game_types_can_be_read() -> None:
    parts = [block for block in BLOCKS if block.language == "toml" and not block.is_file]
    text = load_games()["bet-on-baccarat"].text
    before, _, rest = text.partition('[[books]]\nid = "player-banker"')
    after = rest[rest.index("[[books]]") :]
    assert [read_game_type(before + part.text + after, "README.md").books[0].id for part in parts] == ["player-banker"]


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    kinds = {"console", "sh", "python", "toml", "js", ""}
    assert {block.language for block in BLOCKS} <= kinds | SKETCHES
    assert "they are not run by our tests" in README.read_text("utf-8")


def test_set_up_is_two_commands_of_one_line() -> None:
    """They are run word for word by .ci/readme-setup."""
    assert [block.commands for block in BLOCKS if block.sets_up] == [
        [block.text.rstrip("\n")] for block in BLOCKS if SET_UP in block.text
    ]
    assert sum(block.sets_up for block in BLOCKS) == 2
    assert os.access(ROOT / ".ci" / "readme-setup", os.X_OK)


def test_settings_are_those_that_there_are() -> None:
    found = SETTINGS.search(README.read_text("utf-8"))
    assert found
    assert found[0] == f"{markdown_table()}\n"


def test_metrics_are_those_that_there_are() -> None:
    found = METRICS.search(README.read_text("utf-8"))
    assert found
    assert found[0] == f"{metric_table.markdown_table()}\n"


def test_every_reason_is_listed() -> None:
    import pricing.service.server.server  # which imports all that has errors of its own
    from pricing.service.errors import Fault, Forbidden
    from pricing.service.messages.failures import failure
    from pricing.store.journal import JournalUnavailable
    from pricing.table.decide import CardStateChanged

    text = README.read_text("utf-8")
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \|[^|]*\| `?([A-Z_]+|–)`? \|", text, re.MULTILINE))
    # Settings and replays are refused on the command line alone.
    asked = (kind for kind in kinds_of(PricingError) if not kind.__module__.startswith("pricing.replay"))
    refusals = [kind for kind in asked if kind is not InvalidSettings]
    assert refusals
    faults: list[Exception] = [fault("text") for fault in kinds_of(Fault) if fault is not Forbidden]
    for error in [*faults, CardStateChanged("field", 1, 2), JournalUnavailable("why")]:
        found = failure(error, "id")
        assert listed.pop(found.reason) == found.code.name
    for kind in refusals:
        own = f"`{kind.__name__}`" if hasattr(pricing, kind.__name__) else "–"
        assert re.search(rf"^\| `{kind.reason}` \| {own} \|", text, re.MULTILINE)
        assert listed.pop(kind.reason) in (failure(kind("field", 1, "2"), "id").code.name, "–")
    assert listed == {"INTERNAL": "INTERNAL"}


def test_every_refusal_is_listed() -> None:
    listed = re.findall(r"^\| `([A-Z_]+)` \| [^|`]+ \|$", README.read_text("utf-8"), re.MULTILINE)
    rules = "".join(file.read_text("utf-8") for file in (ROOT / "pricing" / "table").glob("*.py"))
    said = set(re.findall(r'Refusal\(\s*"([A-Z_]+)"', rules)) | set(
        re.findall(r"Refusal\(HoldReason\.([A-Z_]+)", rules)
    )
    # A table's first event is made by the service alone, and its decks are whole numbers by then.
    assert sorted(listed) == sorted(said - {"TABLE_EXISTS"})


def kinds_of(base: type[T]) -> list[type[T]]:
    direct: list[type[T]] = base.__subclasses__()
    return [kind for each in direct for kind in [each, *kinds_of(each)]]


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text("utf-8"))
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


def refresh() -> None:
    """Write what the commands print now, and the settings, into README.md."""
    text = README.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        reader = Reader(Path(folder), stack)
        for block in BLOCKS:
            if block.language != "console":
                continue
            printed = reader.run(block)  # also what is shown in part: what comes later may build on it
            if "..." not in block.text:
                command, _, _ = block.text.partition("\n")
                text = text.replace(f"```console\n{block.text}", f"```console\n{command}\n{plain(printed)}")
    text = SETTINGS.sub(lambda _: f"{markdown_table()}\n", text)
    README.write_text(METRICS.sub(lambda _: f"{metric_table.markdown_table()}\n", text), "utf-8")


if __name__ == "__main__":
    refresh()
