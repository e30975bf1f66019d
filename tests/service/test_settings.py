"""Settings: where they come from, which source goes first, and what is said of wrong ones."""

import os
import re
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner
from service.serving import server_process

from pricing.cli.serve import serve
from pricing.service.server import process
from pricing.service.settings import InvalidSettings, Settings, declared, is_loopback, markdown_table, shown

ROOT = Path(__file__).parents[2]


def read(monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> Settings:
    """The settings that the command comes to."""
    found: list[Settings] = []
    monkeypatch.setattr(process, "run", lambda settings, config: found.append(settings) or 0)  # type: ignore[func-returns-value]
    for name in [name for name in os.environ if name.startswith("BACCARAT_PRICING_")]:
        monkeypatch.delenv(name)
    given = {f"BACCARAT_PRICING_{name}": value for name, value in environment.items()}
    result = CliRunner().invoke(serve, arguments, env=given, standalone_mode=False)
    if result.exception:
        raise result.exception
    return found[0]


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch) == Settings()
    assert (Settings().listen, Settings().http) == ("127.0.0.1:50051", "127.0.0.1:9464")


def test_flags_go_before_environment_before_file_before_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "server.toml"
    file.write_text('grace = 1.5\nmax-message = 2000\nmax-streams = 7\nreflection = false\nlog-level = "error"\n')
    found = read(
        monkeypatch, "--config", str(file), "--max-streams", "9", MAX_STREAMS="8", MAX_MESSAGE="3000", PENDING_SOFT="5"
    )
    assert (found.max_streams, found.max_message, found.pending_soft) == (9, 3000, 5)
    assert (found.grace, found.reflection, found.log_level) == (1.5, False, "error")
    assert found.keepalive == Settings().keepalive
    assert read(monkeypatch, CONFIG=str(file)).grace == 1.5
    assert read(monkeypatch, "--reflection", CONFIG=str(file)).reflection
    assert not read(monkeypatch, REFLECTION="false").reflection


def test_every_setting_can_come_from_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    existing = tmp_path / "existing"
    existing.write_text("")
    for setting in declared():
        texts = {
            "HOST:PORT": "127.0.0.1:1",
            "HOST:PORT|off": "off",
            "URL|off": "https://collector/v1/traces",
            "DIR": str(tmp_path),
            "FILE": str(existing),
            "": "true" if setting.default is False else "false",
            "NUMBER": "30000",
            "SECONDS": "2.5",
            "METHOD=NUMBER,...": "Price=5,*=6",
        }
        text = texts.get(setting.kind.metavar, setting.kind.metavar.split("|")[-1])
        together = {"tls_cert": ["tls_key"], "tls_key": ["tls_cert"], "tls_client_ca": ["tls_cert", "tls_key"]}
        names = [setting.name, *together.get(setting.name, [])]
        flags = [name.replace("_", "-") for name in names]
        file = tmp_path / "server.toml"
        quoted = text if setting.kind.metavar in ("", "NUMBER", "SECONDS") else f"'{text}'"
        file.write_text("".join(f"{flag} = {quoted}\n" for flag in flags))
        switch = [f"--{flag}" if text == "true" else f"--no-{flag}" for flag in flags]
        by_flag = read(monkeypatch, *(switch if not setting.kind.metavar else [f"--{flag}={text}" for flag in flags]))
        by_environment = read(monkeypatch, **{name.upper(): text for name in names})
        by_file = read(monkeypatch, "--config", str(file))
        assert by_flag == by_environment == by_file
        assert getattr(by_flag, setting.name) != getattr(Settings(), setting.name)


WRONG = [
    ("listen", "50051"),
    ("listen", "localhost:65536"),
    ("listen", "a b:1"),
    ("listen", "0.0.0.0:50051"),
    ("listen", "[::]:50051"),
    ("http", "on"),
    ("data", "/dev/null"),
    ("games", "/does/not/exist"),
    ("tls-cert", "/does/not/exist"),
    ("tokens", "/"),
    ("grace", "-1"),
    ("grace", "nan"),
    ("max-message", "0"),
    ("max-message", "1e9"),
    ("max-streams", "many"),
    ("pending-soft", "50000"),
    ("admission", "Price"),
    ("admission", "Price=1,Price=2"),
    ("admission", "Price=-1"),
    ("admission", "Pirce=5"),
    ("keepalive", "0"),
    ("log-level", "loud"),
    ("log-format", "xml"),
    ("allow-plaintext", "maybe"),
]


@pytest.mark.parametrize(("flag", "text"), WRONG)
def test_wrong_value_is_one_line_and_exit_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flag: str, text: str
) -> None:
    from pricing.cli import run

    file = tmp_path / "server.toml"
    file.write_text(f"{flag} = '{text}'\n")
    monkeypatch.setenv("BACCARAT_PRICING_CONFIG", str(file))
    with pytest.raises(SystemExit) as left:
        run(["serve"])
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "; allowed: " in err or "Invalid value" in err


@pytest.mark.parametrize(
    "text", ["listn = 'x'", "listen", "listen = ['a']", "[listen]\na = 'b'", "listen = 1979-05-27", "\x00"]
)
def test_wrong_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    import click

    file = tmp_path / "server.toml"
    file.write_text(text)
    with pytest.raises(click.UsageError):
        read(monkeypatch, "--config", str(file))
    with pytest.raises(click.UsageError):
        read(monkeypatch, "--config", str(tmp_path / "missing.toml"))


def test_settings_that_do_not_go_together(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("x")
    for wrong in (
        {"tls_cert": file},
        {"tls_key": file},
        {"tls_client_ca": file},
        {"pending_hard": 1},
        {"listen": "192.0.2.1:1"},
    ):
        with pytest.raises(InvalidSettings):
            Settings(**wrong)
    assert Settings(listen="192.0.2.1:1", allow_plaintext=True)
    assert Settings(listen="192.0.2.1:1", tls_cert=file, tls_key=file)


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1:1", "127.5.6.7:1", "[::1]:1", "localhost:1")))
    assert not any(map(is_loopback, ("0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1")))


def test_settings_in_force_are_in_the_log() -> None:
    with server_process("--grace", "3", "--config", os.devnull) as server:
        expected = {**shown(Settings()), "grace": "3"}
        assert {name: server.serving[name] for name in expected} == {
            **expected,
            "listen": server.address,
            "data": server.serving["data"],
            "http": server.http,
        }
        assert set(expected) == {field.name for field in fields(Settings)}


def test_readme_lists_every_setting() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"<!-- settings -->\n(.*?)\n<!-- /settings -->", readme, re.DOTALL)
    assert found, "README.md has the table of settings between <!-- settings --> and <!-- /settings -->"
    assert found[1].strip() == markdown_table()
