"""`baccarat-pricing price`: what it prints, here and from a server, and what it says to bad input."""

import io
import json
from pathlib import Path

import pytest
from cli.calling import Cli, serving
from google.protobuf.json_format import MessageToDict, Parse

import pricing
from pricing.baccarat.v1.pricing_service_pb2 import PriceResponse
from pricing.cli.remote import quote_of
from pricing.domain.cards import CARDS
from pricing.service.messages.convert import price_message

STATES = [
    [],
    ["--dealt", "9S"],
    ["--dealt", "9S KD", "--removed", "AS KD 3C,3C\t4H"],
    ["--dealt", "9S KD 3C"],
    ["--dealt", "9S KD 9H 8C"],
    ["--dealt", "2S KD 3H 7C 8D", "--decks", "1"],
    ["--decks", "12", "--unseen", "17"],
    ["--remaining", "AS:3 KD:1 2C:6,3C:5", "--dealt", "2H"],
    ["--game", "punto-banco", "--removed", "AS", "--removed", "AS"],
    ["--game", "no-commission"],
    ["--game", "no-commission", "--dealt", "9S KD 9H 8C"],
]

CARD = ""
BAD_STATES = {
    "--game nope": "--game: got 'nope'; allowed: one of bet-on-baccarat, ",
    "--game=": "--game: got ''; allowed: one of bet-on-baccarat, ",
    "--dealt|9S KX": f"--dealt, card 2: got 'KX'; allowed: {CARD}",
    "--dealt ks": f"--dealt, card 1: got 'ks'; allowed: {CARD}",
    "--removed|AS 10S": f"--removed, card 2: got '10S'; allowed: {CARD}",
    "--removed|" + "AS " * 7: "--removed, card 7: got 'AS'; allowed: each card at most 6 times",
    "--dealt AS --removed|" + "AS " * 6: "--dealt, card 1: got 'AS'; allowed: ",
    "--decks 1 --dealt|AS AS": "--dealt, card 2: got 'AS'; allowed: ",
    "--removed|" + "AS " * 1001: "--removed: got '1001 entries'; allowed: at most 1000",
    "--dealt|" + "AS " * 1001: "--dealt: got '1001 entries'; allowed: at most 1000",
    "--remaining|" + "AS:1 " * 1001: "--remaining: got '1001 entries'; allowed: at most 1000",
    "--remaining|AS:3 KD:1 AS:1": "--remaining, entry 3: got 'AS'; allowed: each card once",
    "--remaining|AS:3 KX:1": f"--remaining, entry 2: got 'KX'; allowed: {CARD}",
    "--remaining AS:7": "--remaining, entry 1: got 7; allowed: a whole number, 0 to 6",
    "--remaining AS:-1": "--remaining, entry 1: got -1; allowed: a whole number, 0 to 6",
    "--remaining|AS:1 KD:1 2C:1 3C:1 4C:1": "the shoe: got '5 cards'; allowed: at least 6",
    "--decks 0": "--decks: got 0; allowed: a whole number, 1 to 12",
    "--decks 13": "--decks: got 13; allowed: a whole number, 1 to 12",
    "--decks -1": "--decks: got -1; allowed: a whole number, 1 to 12",
    "--game \udcff": "--game: got '\ufffd'; allowed: one of bet-on-baccarat, ",
    "--dealt \udcff": "--dealt, card 1: got '\ufffd'; allowed: ",
    "--unseen -1": "--unseen: got -1; allowed: a whole number, 0 to 624",
    "--unseen 625": "--unseen: got 625; allowed: a whole number, 0 to 624",
    "--unseen 313": "--unseen: got 313; allowed: at most the 312 cards not seen",
    "--unseen 307": "the shoe: got '5 cards'; allowed: at least 6",
    "--dealt|9S KD TH 2C 3C": "--dealt, card 5: got '3C'; allowed: ",
    "--dealt|7S 6D KH KC 3C": "--dealt, card 5: got '3C'; allowed: ",
}

BAD_USE = {
    "--remaining AS": "--remaining, entry 1: got 'AS'; allowed: a card and its count",
    "--remaining AS:x": "--remaining, entry 1: got 'x'; allowed: a whole number",
    "--remaining AS:99999999999999999999": "--remaining, entry 1: got '99999999999999999999'; allowed: a whole number",
    "--remaining AS:1 --removed KD": "--remaining: got --removed as well; allowed: one of the two",
    "--decks six": "--decks",
    "--decks 99999999999999999999": "--decks: got 99999999999999999999; allowed: a whole number, 1 to 12",
    "--games /no/such/folder": "--games: got '/no/such/folder'; allowed: a folder",
    "--nosuch": "--nosuch",
    "more": "more",
    "--dealt": "--dealt",
    "--tls": "--tls: got it without --server",
    "--timeout 0": "--timeout",
    "--server localhost": "--server: got 'localhost'; allowed: HOST:PORT",
    "--server 127.0.0.1:1 --games .": "--games: got --server as well; allowed: one of the two",
    "--server 127.0.0.1:1 --decks 99999999999": "--decks: got 99999999999; allowed: a whole number",
    "--server 127.0.0.1:1 --ca /no/such/file": "/no/such/file",
    "--server 127.0.0.1:1 --ca pyproject.toml": "--ca: got 'pyproject.toml'; allowed: a file of certificates",
    "--server 127.0.0.1:1 --key pyproject.toml": "--cert: got None with --key 'pyproject.toml'; allowed: ",
    "--server 127.0.0.1:1 --token|not shown": "--token: got something else; allowed: ",
    "--server 127.0.0.1:1 --timeout nan": "--timeout: got nan; allowed: a finite number",
    "--server 127.0.0.1:1 --timeout 1e9": "--timeout",
}


def split(text: str) -> list[str]:
    """Arguments between spaces; from a bar on, the last one whole."""
    words, bar, last = text.partition("|")
    return [*words.split(), *([last] if bar else [])]


@pytest.fixture(autouse=True)
def _own_games(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACCARAT_PRICING_GAMES", str(games))


@pytest.mark.parametrize("state", STATES, ids=" ".join)
def test_a_server_answers_as_it_is_computed_here(cli: Cli, server: str, state: list[str]) -> None:
    here, there = cli("price", *state, "--json"), cli("price", *state, "--json", "--server", server)
    assert here == there
    assert here.code == 0
    assert cli("price", *state) == cli("price", *state, "--server", server)


def test_json_is_the_message_in_full(cli: Cli) -> None:
    quote = pricing.price(dealt="9S KD", removed="AS KD", decks=5, unseen_removed=3)
    printed = cli("price", "--dealt", "9S KD", "--removed", "AS KD", "--decks", "5", "--unseen", "3", "--json").out
    response = Parse(printed, PriceResponse())
    assert response == price_message(quote)
    assert quote_of(response) == quote
    assert json.loads(printed) == MessageToDict(response, always_print_fields_with_no_presence=True)


def test_remaining_is_what_removed_leaves(cli: Cli) -> None:
    left = " ".join(f"{card}:{5 if card in ('AS', '9H', '2D') else 6}" for card in CARDS)
    by_counts = cli("price", "--remaining", left, "--dealt", "9H 2D", "--json")
    assert by_counts == cli("price", "--removed", "AS", "--dealt", "9H 2D", "--json")


def test_removed_cards_come_from_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("AS\nKD 3C\n"))
    assert cli("price", "--removed", "-", "--json") == cli("price", "--removed", "AS KD 3C", "--json")


def test_stdin_without_end_is_refused(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero", encoding="utf-8") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        code, _, err = cli("price", "--removed", "-")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("baccarat-pricing: error: --removed: got 'more than ")


def test_board_shows_every_bet(cli: Cli) -> None:
    quote = pricing.price(dealt="9S KD")
    lines = cli("price", "--dealt", "9S KD").out.splitlines()
    assert lines[0] == "bet-on-baccarat: betting round 3"
    assert lines[1] == "9S KD: Player 9, Banker 0. The next card goes to Player. 310 cards are left in the shoe."
    for bet in quote.bets:
        (line,) = [line for line in lines if line.startswith(f"{bet.bet} ")]
        assert {"active", str(bet.win_ways), bet.odds} <= set(line.split())
    assert f"Ways are out of {quote.total_ways}." in lines


def test_board_tells_what_is_decided(cli: Cli) -> None:
    lines = cli("price", "--dealt", "9S KD 9H 8C").out.splitlines()
    assert lines[:2] == [
        "bet-on-baccarat: the coup is complete",
        "9S KD 9H 8C: Player 8, Banker 8. 308 cards are left in the shoe.",
    ]
    states = {
        line.split("settled: ")[0].strip(): line.split("settled: ")[1].split()[0] for line in lines if "settled" in line
    }
    assert (states["player"], states["tie"], states["big"]) == ("push", "won", "lost")


def test_board_shows_each_payout(cli: Cli) -> None:
    lines = [line.split() for line in cli("price", "--game", "no-commission").out.splitlines()]
    (six,) = [line for line in lines if line and line[0] == "wins-with-6"]
    assert six[-1] == "1.50"
    (banker,) = [line for line in lines if line and line[0] == "banker"]
    assert banker[-2:] == ["98.54", "%"]


def test_narrow_terminal_loses_the_ways_but_no_digit(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    out = cli("price", "--game", "punto-banco").out
    assert "ways to win" not in out
    assert "…" not in out
    monkeypatch.setenv("COLUMNS", "90")
    assert "2230518282592256" in cli("price", "--game", "punto-banco").out


@pytest.mark.parametrize(("arguments", "message"), BAD_STATES.items(), ids=lambda text: text[:40])
def test_bad_state_is_one_line_here_and_from_a_server(cli: Cli, server: str, arguments: str, message: str) -> None:
    here = cli("price", *split(arguments))
    assert (here.code, here.out) == (2, "")
    assert here.err.startswith(f"baccarat-pricing: error: {message}")
    assert here.err.count("\n") == 1
    assert cli("price", *split(arguments), "--json", "--server", server) == here


@pytest.mark.parametrize(("arguments", "message"), BAD_USE.items())
def test_bad_use_is_one_line(cli: Cli, arguments: str, message: str) -> None:
    code, out, err = cli("price", *split(arguments))
    assert (code, out) == (2, "")
    assert err.startswith("baccarat-pricing: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_bad_game_type_file_is_named_with_its_key(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('name = "own"\n', "utf-8")
    code, _, err = cli("price", "--games", str(tmp_path))
    assert code == 2
    assert f"{tmp_path / 'own.toml'}: display_name: " in err


def test_server_that_is_not_there_is_a_failure(cli: Cli) -> None:
    code, out, err = cli("price", "--server", "127.0.0.1:1")
    assert (code, out) == (1, "")
    assert err.startswith("baccarat-pricing: error: server 127.0.0.1:1: UNAVAILABLE: ")
    assert err.count("\n") == 1


def test_token_is_shown_to_the_server(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token, _, lines = cli("token", "sportsbook").out.partition("\n")
    (tmp_path / "tokens.toml").write_text(lines, "utf-8")
    with serving("--tokens", str(tmp_path / "tokens.toml"), "--data", str(tmp_path)) as address:
        here = cli("price")
        assert cli("price", "--server", address, "--token", token) == here
        code, out, err = cli("price", "--server", address, "--token", "wrong")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert err.startswith(f"baccarat-pricing: error: server {address}: UNAUTHENTICATED: ")
        monkeypatch.setenv("BACCARAT_PRICING_TOKEN", token)
        assert cli("price", "--server", address) == here
