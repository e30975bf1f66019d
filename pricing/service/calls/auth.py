"""Who calls: by token, by certificate, or anybody where neither is asked for."""

from typing import Any

import grpc

from pricing.service.calls.call import Call
from pricing.service.calls.tokens import read_callers
from pricing.service.errors import Unauthenticated
from pricing.service.files import Reloaded
from pricing.service.roles import Caller, Role
from pricing.service.settings import Settings, is_loopback

_SCHEME = "bearer"


class Authenticator:
    """Tells who a caller is.

    Where the settings name no tokens file and no client certificates, everybody is `anonymous`: an admin on a loopback
    address, as whoever calls there is on this machine already; a reader elsewhere.
    """

    def __init__(self, settings: Settings) -> None:
        """Read the tokens file, if there is one.

        Raises:
            InvalidSettings: What is wrong with it.
        """
        file = settings.tokens
        self._callers = Reloaded([file], lambda: read_callers(file)) if file else None
        self._certificates = settings.tls_client_ca is not None
        local = is_loopback(settings.listen)
        self._anonymous = Caller("anonymous", Role.ADMIN if local else Role.READER, local)

    def by_token(self, call: Call) -> Unauthenticated | None:
        """Note the caller, if a token says who it is; why not, if none of the certificate's names can either."""
        if self._callers is None:
            if not self._certificates:
                call.caller = self._anonymous
            return None
        given = call.header("authorization")
        if given is None:
            return None if self._certificates else Unauthenticated("the metadata lack authorization: Bearer TOKEN")
        scheme, _, token = given.partition(" ")
        if scheme.lower() != _SCHEME or not token:
            return Unauthenticated("the metadata authorization is not Bearer TOKEN")
        call.caller = self._callers.value.with_token(token.strip())
        return None if call.caller else Unauthenticated("no caller has this token")

    def by_certificate(self, context: "grpc.aio.ServicerContext[Any, Any]") -> Caller:
        """The caller by the certificate that the connection was made with.

        Raises:
            Unauthenticated: The tokens file lists none of its names.
        """
        names = certificate_names(context)
        if self._callers is None:
            return Caller(names[0] if names else "nameless", Role.READER)
        known = self._callers.value.by_certificate
        for name in names:
            if name in known:
                return known[name]
        raise Unauthenticated("no caller has a certificate of this name")


def certificate_names(context: "grpc.aio.ServicerContext[Any, Any]") -> list[str]:
    """The common name and the alternative names of the caller's certificate, which is verified by now."""
    found = context.auth_context()
    keys = ("x509_common_name", "x509_subject_alternative_name")
    return [name.decode("utf-8", "replace") for key in keys for name in found.get(key, ())]
