"""Who may call: tokens, roles, certificates, and the files that say so."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from service.serving import Refused, ServerProcess, refused, server_process

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.service.calls.tokens import entry, new_token, read_callers
from pricing.service.roles import Caller, Role, allowed
from pricing.service.settings import InvalidSettings

REQUEST = pb.PriceRequest(game_type="bet-on-baccarat")
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


Metadata: TypeAlias = tuple[tuple[str, str | bytes], ...]


def authorization(text: str) -> Metadata:
    return (("authorization", text),)


def bearer(token: str) -> Metadata:
    return authorization(f"Bearer {token}")


def serving(stub: PricingServiceStub, metadata: Metadata | None = None) -> bool:
    return len(stub.Price(REQUEST, metadata=metadata, timeout=10).bets) == 9


def eventually(check: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until the check holds; it must then hold again."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it never held"
        time.sleep(0.1)
    assert check()


@pytest.fixture
def tokens(tmp_path: Path) -> dict[Role, str]:
    made = {role: new_token() for role in Role}
    text = "\n\n".join(entry(f"a-{role}", role, token) for role, token in made.items())
    (tmp_path / "callers.toml").write_text(text)
    return made


@pytest.fixture
def guarded(tmp_path: Path, tokens: dict[Role, str]) -> Iterator[ServerProcess]:
    with server_process("--tokens", str(tmp_path / "callers.toml"), "--log-level", "debug") as running:
        yield running


def test_tokens(guarded: ServerProcess, tokens: dict[Role, str]) -> None:
    with guarded.channel() as channel:
        stub = PricingServiceStub(channel)
        for role in Role:
            assert serving(stub, bearer(tokens[role]))
            line = guarded.next_record("call")
            assert (line["caller"], line["role"], line["code"]) == (f"a-{role}", role, "OK")
        assert serving(stub, authorization(f"bearer {tokens[Role.READER]}"))
        wrong = [
            None,
            bearer("bp_wrong"),
            bearer(""),
            [("authorization", tokens[Role.READER])],
            [("authorization", "")],
        ]
        for metadata in wrong:
            with refused(UNAUTHENTICATED, "UNAUTHENTICATED") as found:
                stub.Price(REQUEST, metadata=metadata)
            assert not any(token in found[0].message for token in tokens.values())
            with refused(UNAUTHENTICATED, "UNAUTHENTICATED"):
                list(stub.StreamPrices(iter([]), metadata=metadata))
        health: Any = health_pb2_grpc.HealthStub(channel)
        assert health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING
    guarded.stop()
    text = str(guarded.rest_of_log())
    assert not any(token in text for token in tokens.values())


def test_tokens_file_is_read_again(guarded: ServerProcess, tokens: dict[Role, str], tmp_path: Path) -> None:
    file = tmp_path / "callers.toml"
    added = new_token()
    with guarded.channel() as channel:
        stub = PricingServiceStub(channel)

        def known(token: str) -> bool:
            try:
                return serving(stub, bearer(token))
            except grpc.RpcError as error:
                return Refused(error).code is not UNAUTHENTICATED

        assert known(tokens[Role.READER])
        assert not known(added)
        file.write_text(entry("new", Role.READER, added))
        eventually(lambda: known(added))
        assert not known(tokens[Role.READER])
        file.write_text("[[callers]]\nname = 'broken'")
        time.sleep(1.2)
        assert known(added), "a file that cannot be used must not lock everybody out"


def test_token_command_makes_what_the_server_takes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pricing.cli", "token", "a-book", "--role", "trader"]
    token, _, lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.partition("\n\n")
    file = tmp_path / "callers.toml"
    file.write_text(lines)
    caller = read_callers(file).with_token(token)
    assert caller == Caller("a-book", Role.TRADER)
    assert token not in lines


@pytest.mark.parametrize(
    "text",
    [
        "",
        "callers = 1",
        "callers = [1]",
        "other = 1\n[[callers]]",
        "[[callers]]\nname='a'\nrole='reader'",
        "[[callers]]\nname='a'\nrole='king'\ncertificate='a'",
        "[[callers]]\nname='a b'\nrole='reader'\ncertificate='a'",
        "[[callers]]\nname='a'\nrole='reader'\ncertificate=''",
        "[[callers]]\nname='a'\nrole='reader'\nsha256='abc'",
        "[[callers]]\nname='a'\nrole='reader'\ncertificate='x'\n[[callers]]\nname='b'\nrole='reader'\ncertificate='x'",
        "\x00",
    ],
)
def test_wrong_callers_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "callers.toml"
    file.write_text(text)
    with pytest.raises(InvalidSettings):
        read_callers(file)


def test_methods_that_nobody_listed_are_for_admins() -> None:
    assert allowed("pricing.baccarat.v1.TableService", "Forgotten") == {Role.ADMIN}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def write_certificate(folder: Path, certificate: trustme.LeafCert, name: str) -> tuple[str, str]:
    """Certificate and key as files; moved into place, as a careful operator would."""
    cert, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    for path, blobs in ((key, [certificate.private_key_pem]), (cert, certificate.cert_chain_pems)):
        fresh = path.with_suffix(".new")
        fresh.write_bytes(b"".join(blob.bytes() for blob in blobs))
        fresh.replace(path)
    return str(cert), str(key)


def secure_stub(
    server: ServerProcess, authority: trustme.CA, own: trustme.LeafCert | None = None
) -> tuple[grpc.Channel, PricingServiceStub]:
    key = own.private_key_pem.bytes() if own else None
    chain = b"".join(blob.bytes() for blob in own.cert_chain_pems) if own else None
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes(), key, chain)
    # A subchannel of its own: otherwise an earlier connection would be used again.
    channel = grpc.secure_channel(server.address, credentials, options=[("grpc.use_local_subchannel_pool", 1)])
    return channel, PricingServiceStub(channel)


def test_tls_with_reload(authority: trustme.CA, tmp_path: Path) -> None:
    cert, key = write_certificate(tmp_path, authority.issue_cert("127.0.0.1"), "server")
    with server_process("--tls-cert", cert, "--tls-key", key) as server:
        channel, stub = secure_stub(server, authority)
        assert serving(stub)
        with refused(grpc.StatusCode.UNAVAILABLE), server.channel() as plain:
            PricingServiceStub(plain).Price(REQUEST)

        other = trustme.CA()

        def trusted(by: trustme.CA) -> bool:
            channel, stub = secure_stub(server, by)
            with channel:
                try:
                    return serving(stub)
                except grpc.RpcError as error:
                    return Refused(error).code is not grpc.StatusCode.UNAVAILABLE

        assert not trusted(other)
        write_certificate(tmp_path, other.issue_cert("127.0.0.1"), "server")
        eventually(lambda: trusted(other))
        assert not trusted(authority)
        assert serving(stub), "connections that are there stay"
        Path(cert).write_text("no certificate")
        time.sleep(1.2)
        assert trusted(other), "files that cannot be used must not end the service"
        channel.close()


def test_mutual_tls(authority: trustme.CA, tmp_path: Path) -> None:
    cert, key = write_certificate(tmp_path, authority.issue_cert("127.0.0.1"), "server")
    clients = trustme.CA()
    ca = tmp_path / "clients.pem"
    clients.cert_pem.write_to_path(ca)
    callers = tmp_path / "callers.toml"
    callers.write_text("[[callers]]\nname = 'studio-7'\nrole = 'studio'\ncertificate = 'studio-7.example'\n")
    arguments = ("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", str(ca), "--log-level", "debug")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    with server_process(*arguments, "--tokens", str(callers)) as server:
        channel, stub = secure_stub(server, authority, clients.issue_cert("studio-7.example"))
        with channel:
            assert serving(stub)
        line = server.next_record("call")
        assert (line["caller"], line["role"]) == ("studio-7", "studio")
        channel, stub = secure_stub(server, authority, clients.issue_cert("stranger.example"))
        with channel, refused(UNAUTHENTICATED, "UNAUTHENTICATED"):
            stub.Price(REQUEST)
        unknown = [
            None,
            trustme.CA().issue_cert("studio-7.example"),
            clients.issue_cert("studio-7.example", not_before=yesterday - timedelta(days=1), not_after=yesterday),
        ]
        for own in unknown:
            channel, stub = secure_stub(server, authority, own)
            with channel, refused(grpc.StatusCode.UNAVAILABLE):
                stub.Price(REQUEST)
    with server_process(*arguments) as server:
        channel, stub = secure_stub(server, authority, clients.issue_cert(common_name="somebody"))
        with channel:
            assert serving(stub)
        line = server.next_record("call")
        assert (line["caller"], line["role"]) == ("somebody", "reader")


def test_expired_server_certificate(authority: trustme.CA, tmp_path: Path) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    expired = authority.issue_cert("127.0.0.1", not_before=yesterday - timedelta(days=1), not_after=yesterday)
    cert, key = write_certificate(tmp_path, expired, "server")
    with server_process("--tls-cert", cert, "--tls-key", key) as server:
        channel, stub = secure_stub(server, authority)
        with channel, refused(grpc.StatusCode.UNAVAILABLE):
            stub.Price(REQUEST)
        write_certificate(tmp_path, authority.issue_cert("127.0.0.1"), "server")
        time.sleep(1.2)
        channel, stub = secure_stub(server, authority)
        with channel:
            assert serving(stub)
