"""Compose file, provisioning and unit are valid, and agree with the image, the settings, and each other."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.image import environment, of
from deploy.rules import DASHBOARDS, DEPLOY

from pricing.service.settings import declared

UNIT = DEPLOY / "systemd" / "baccarat-pricing.service"


def read(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text("utf-8"))


COMPOSE = read("compose.yaml")
SERVICES = COMPOSE["services"]


def test_compose_file_fits_its_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    ran = subprocess.run([*command, str(DEPLOY / "compose.yaml")], check=False, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stdout


def test_what_is_mounted_is_there() -> None:
    mounts = [volume.split(":") for service in SERVICES.values() for volume in service["volumes"]]
    assert len(mounts) == 5
    for source, *_ in mounts:
        assert (DEPLOY / source).is_dir() if source.startswith("./") else source in COMPOSE["volumes"]
    build = SERVICES["pricing"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_ports_are_of_this_machine_alone() -> None:
    ports = [port.split(":") for service in SERVICES.values() for port in service["ports"]]
    assert {host for host, _, _ in ports} == {"127.0.0.1"}
    exposed = {port for text in of("EXPOSE") for port in text.split()}
    assert {port.split(":")[2] for port in SERVICES["pricing"]["ports"]} == exposed
    assert exposed == {environment()[f"BACCARAT_PRICING_{name}"].split(":")[1] for name in ("LISTEN", "HTTP")}


def test_service_runs_without_privileges() -> None:
    pricing = SERVICES["pricing"]
    assert pricing["read_only"] is True
    assert pricing["cap_drop"] == ["ALL"]
    assert pricing["volumes"] == [f"journal:{of('VOLUME')[0]}"]


def test_prometheus_scrapes_the_service() -> None:
    (job,) = read("prometheus/prometheus.yml")["scrape_configs"]
    (target,) = job["static_configs"][0]["targets"]
    assert target == f"pricing:{environment()['BACCARAT_PRICING_HTTP'].split(':')[1]}"
    assert "./prometheus:/etc/prometheus:ro" in SERVICES["prometheus"]["volumes"]


def test_grafana_finds_prometheus_and_the_dashboards() -> None:
    (source,) = read("grafana/provisioning/datasources/prometheus.yml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    interval = read("prometheus/prometheus.yml")["global"]["scrape_interval"]
    assert source["jsonData"]["timeInterval"] == interval
    (provider,) = read("grafana/provisioning/dashboards/baccarat.yml")["providers"]
    mounted = dict(volume.split(":")[:2] for volume in SERVICES["grafana"]["volumes"])
    assert mounted["./grafana/dashboards"] == provider["options"]["path"]
    assert mounted["./grafana/provisioning"] == "/etc/grafana/provisioning"
    assert {file.parent for file in DASHBOARDS} == {DEPLOY / "grafana" / "dashboards"}


@pytest.mark.parametrize("file", ["Containerfile", "compose.yaml", "systemd/baccarat-pricing.service"])
def test_settings_are_those_that_there_are(file: str) -> None:
    named = set(re.findall(r"BACCARAT_PRICING_\w+", (DEPLOY / file).read_text("utf-8")))
    assert named
    assert named <= {setting.variable for setting in declared()}


def test_unit_is_valid_and_hardened(tmp_path: Path) -> None:
    program = tmp_path / "baccarat-pricing"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    unit = tmp_path / UNIT.name
    text = UNIT.read_text("utf-8")
    assert "ExecStart=/opt/baccarat-pricing/bin/baccarat-pricing serve\n" in text
    unit.write_text(text.replace("/opt/baccarat-pricing/bin/baccarat-pricing", str(program)), "utf-8")
    for verb in (["verify"], ["security", "--offline=true", "--threshold=20"]):
        ran = subprocess.run(["systemd-analyze", *verb, str(unit)], check=False, text=True, capture_output=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
