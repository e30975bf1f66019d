"""TLS with certificates that are taken up when their files change."""

import math
import ssl
from pathlib import Path

import grpc
from cryptography import x509

from pricing.service.files import Reloaded
from pricing.service.settings import InvalidSettings, Settings


def server_credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """What the server shows and asks for; None for plain text.

    Raises:
        InvalidSettings: Files that cannot be used.
    """
    cert, key, authority = settings.tls_cert, settings.tls_key, settings.tls_client_ca
    if cert is None or key is None:
        return None
    files = [cert, key, *([authority] if authority else [])]
    configuration = Reloaded(files, lambda: _read(cert, key, authority))
    shown = configuration.value

    def changed() -> grpc.ServerCertificateConfiguration | None:
        """Asked at every handshake."""
        nonlocal shown
        before, shown = shown, configuration.value
        return None if shown is before else shown

    return grpc.dynamic_ssl_server_credentials(
        shown,
        changed,  # type: ignore[arg-type]  # None is documented for "no change", the types lack it
        require_client_authentication=authority is not None,
    )


def expiry(cert: Path) -> float:
    """When the first certificate of a file expires, in seconds since 1970 UTC; NaN while there is none to be read."""
    try:
        return x509.load_pem_x509_certificate(cert.read_bytes()).not_valid_after_utc.timestamp()
    except (OSError, ValueError):
        return math.nan


def _read(cert: Path, key: Path, authority: Path | None) -> grpc.ServerCertificateConfiguration:
    _check(cert, key, authority)
    pair = (key.read_bytes(), cert.read_bytes())
    return grpc.ssl_server_certificate_configuration([pair], authority.read_bytes() if authority else None)


def _check(cert: Path, key: Path, authority: Path | None) -> None:
    """Refuse here what gRPC would take and then fail every handshake with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=str)  # a key with a password is refused, not asked about
    except (OSError, ValueError) as error:
        given = f"{cert}, {key}"
        raise InvalidSettings("tls_cert", given, f"a certificate and its key, PEM, no password ({error})") from None
    if authority is not None:
        try:
            context.load_verify_locations(authority)
        except OSError as error:
            raise InvalidSettings("tls_client_ca", str(authority), f"certificates, PEM ({error})") from None
