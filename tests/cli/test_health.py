"""`baccarat-pricing health`: 0 from a server that serves, 1 from any other."""

import pytest
from cli.calling import Cli
from test_readme import free_port


@pytest.mark.parametrize("service", ["", "pricing.baccarat.v1.OddsService"])
def test_a_server_that_serves(cli: Cli, server: str, service: str) -> None:
    assert cli("health", "--server", server, "--service", service) == (0, "serving\n", "")


def test_a_service_that_there_is_not(cli: Cli, server: str) -> None:
    outcome = cli("health", "--server", server, "--service", "x")
    assert outcome.code == 1
    assert "NOT_FOUND" in outcome.err


def test_no_server(cli: Cli) -> None:
    outcome = cli("health", "--server", f"127.0.0.1:{free_port()}", "--timeout", "5")
    assert outcome.code == 1
    assert "UNAVAILABLE" in outcome.err
