"""What holds for the project as a whole: its layers, its generated code, its one version."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pricing"
GENERATED = PACKAGE / "baccarat" / "v1"

PURE = {"domain", "games", "engine"}
# What each part of the package may import of the others; "" is pricing/__init__.py itself.
MAY_IMPORT = {
    "": {*PURE, "api"},
    "domain": set[str](),
    "games": {"domain"},
    "engine": {"domain"},
    "api": PURE,
    "table": {"domain"},
    "store": {"domain", "table"},
    "client": {"", "domain", "baccarat"},
    "replay": {*PURE, "table"},
    "service": {"", *PURE, "table", "store", "baccarat"},
    "cli": {"", *PURE, "table", "store", "replay", "client", "service"},
    "__main__": {"cli"},
    "baccarat": {"baccarat"},
}
# The same within the service; "" are its modules at the top: settings, errors, roles.
SERVICE_MAY_IMPORT = {
    "": {""},
    "telemetry": {""},
    "messages": {""},
    "images": {"", "messages", "telemetry"},
    "metrics": {"", "images", "telemetry"},
    "calls": {"", "messages", "metrics"},
    "floor": {"", "calls", "images", "messages", "metrics", "telemetry"},
    "feed": {"", "calls", "floor", "images", "messages", "metrics"},
    "history": {"", "floor", "images", "messages"},
    "servicers": {"", "calls", "feed", "floor", "history", "images", "messages", "telemetry"},
    "server": {"", "calls", "feed", "floor", "images", "metrics", "servicers", "telemetry"},
}
RPC_PARTS = {"service", "client", "baccarat"}  # the parts that know gRPC and protobuf
RPC_LIBRARIES = {"grpc", "grpc_health", "grpc_reflection", "grpc_status", "google"}
CLOCKED_PARTS = {"service", "client", "cli"}  # elsewhere time and ids come in as arguments
CLOCKS_AND_DICE = {"time", "random", "secrets", "uuid"}
KERNEL = "pricing.engine._kernel"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(module: str) -> str:
    """The part of the package that a module belongs to: `service` of `pricing.service.feed`."""
    return [*module.split("."), ""][1]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or bool(list(path.parent.glob(f"{path.name}.py*")))


def imports(path: Path) -> Iterator[str]:
    """Every module that the file imports anywhere, by absolute name; `from a import b` is `a.b` if that is a module."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield name if base.split(".")[0] == "pricing" and is_module(name) else base


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_imports_follow_the_layers(path: Path) -> None:
    part = part_of(module_name(path))
    assert part in MAY_IMPORT, f"pricing.{part} has no place in the layers yet"
    for name in imports(path):
        top = name.split(".")[0]
        if top == "pricing":
            allowed = MAY_IMPORT[part] | ({part} if part else set())
            assert part_of(name) in allowed, f"{part} imports {name}"
            assert part == "engine" or not name.startswith(KERNEL), f"{part} calls the kernel past the engine"
        else:
            assert part != "domain" or top in sys.stdlib_module_names, f"domain imports {name}"
            assert part in RPC_PARTS or top not in RPC_LIBRARIES, f"{part} imports {name}"
            assert part in CLOCKED_PARTS or top not in CLOCKS_AND_DICE, f"{part} imports {name}"


def service_part(module: str) -> str:
    """The part of the service that a module belongs to: `feed` of `pricing.service.feed.pacer`."""
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and ROOT.joinpath(*parts[:3]).is_dir() else ""


@pytest.mark.parametrize("path", sorted((PACKAGE / "service").rglob("*.py")), ids=module_name)
def test_imports_within_the_service_go_one_way(path: Path) -> None:
    part = service_part(module_name(path))
    for name in imports(path):
        if part_of(name) == "service":
            assert service_part(name) in SERVICE_MAY_IMPORT[part] | {part}, f"{part} imports {name}"


def test_every_folder_of_code_is_a_package() -> None:
    assert len(modules()) > 10
    folders = {path.parent for path in modules()}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


@pytest.mark.parametrize("module", ["pricing", "pricing.cli"])
def test_import_loads_no_rpc_library(module: str) -> None:
    """Whoever wants a price in-process, or `--help`, does not wait for gRPC."""
    code = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert module in loaded
    assert not {name.split(".")[0] for name in loaded} & {"grpc", "google"}


def test_generated_code_is_fresh(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([ROOT / ".ci" / "generate", tmp_path], env=environment, check=True, capture_output=True)
    fresh = {path.name: path.read_text("utf-8") for path in (tmp_path / GENERATED.relative_to(ROOT)).iterdir()}
    kept = {path.name: path.read_text("utf-8") for path in GENERATED.glob("*.py*") if path.name != "__init__.py"}
    assert len(fresh) >= 2 * len(list((ROOT / "proto").rglob("*.proto")))
    assert kept == fresh


def test_packages_of_generated_code_are_empty() -> None:
    for path in (GENERATED / "__init__.py", GENERATED.parent / "__init__.py"):
        body = ast.parse(path.read_text("utf-8")).body
        assert all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)


def test_runtime_floors_match_the_generated_code() -> None:
    """The code checks its runtimes when imported: pip must not have installed older ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    code = "".join(path.read_text("utf-8") for path in GENERATED.glob("*_pb2*.py"))
    (grpc,) = set(re.findall(r"^GRPC_GENERATED_VERSION = '(.+)'", code, re.MULTILINE))
    (protobuf,) = set(re.findall(r"^# Protobuf Python Version: (.+)", code, re.MULTILINE))
    major, minor, _ = grpc.split(".")
    assert f"grpcio>={grpc},<{major}.{int(minor) + 1}" in project["dependencies"]
    assert f"protobuf>={protobuf},<{int(protobuf.split('.')[0]) + 1}" in project["dependencies"]
    assert f"grpcio-tools=={grpc}" in project["optional-dependencies"]["test"]


def test_one_version() -> None:
    import pricing

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heads = re.findall(r"^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$", changelog, re.MULTILINE)
    assert heads[:2] == ["Unreleased", declared]
    assert pricing.__version__ == importlib.metadata.version("baccarat-pricing") == declared


def test_extension_names_its_headers() -> None:
    """A header that is not named is missing from the sdist, and its change from the next build."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    named = {name for module in setuptools["ext-modules"] for name in [*module["sources"], *module["depends"]]}
    assert named == {path.relative_to(ROOT).as_posix() for path in (ROOT / "ext").iterdir()}


def test_top_level_is_what_was_agreed() -> None:
    made_by_tools = {"build", "dist", "baccarat_pricing.egg-info", "node_modules", "venv"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - made_by_tools
    agreed = {"pyproject.toml", "proto", "pricing", "ext", "tests", "deploy", "README.md", "CHANGELOG.md"}
    assert found <= agreed
