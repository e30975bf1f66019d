"""All services of the contract, as they are added to a server."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import grpc

from pricing.baccarat.v1 import (
    history_service_pb2,
    history_service_pb2_grpc,
    odds_service_pb2,
    pricing_service_pb2,
    pricing_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
    trading_service_pb2,
    trading_service_pb2_grpc,
)
from pricing.games import Catalogue
from pricing.service.feed.feed import Feed
from pricing.service.floor.floor import Floor
from pricing.service.floor.policies import Policies
from pricing.service.servicers.history_service import HistoryServicer
from pricing.service.servicers.odds_service import OddsServicer, add_odds_service
from pricing.service.servicers.pricing_service import PricingServicer
from pricing.service.servicers.table_service import TableServicer
from pricing.service.servicers.trading_service import TradingServicer
from pricing.service.settings import Settings
from pricing.store.journal import NoteReader

_HISTORY: Final = history_service_pb2.DESCRIPTOR.services_by_name["HistoryService"].full_name
_ODDS: Final = odds_service_pb2.DESCRIPTOR.services_by_name["OddsService"].full_name
_PRICES: Final = pricing_service_pb2.DESCRIPTOR.services_by_name["PricingService"].full_name
_TABLES: Final = table_service_pb2.DESCRIPTOR.services_by_name["TableService"].full_name
_TRADING: Final = trading_service_pb2.DESCRIPTOR.services_by_name["TradingService"].full_name
OF_TABLES: Final = (_TABLES, _TRADING, _ODDS)
"""Those that are not well while nothing can be written down."""
ALL: Final = (*OF_TABLES, _PRICES, _HISTORY)


class Service(NamedTuple):
    """A service of the contract."""

    name: str
    add: Callable[[Any, grpc.aio.Server], None]
    servicer: Any


def services(settings: Settings, games: Catalogue, floor: Floor, feed: Feed, notes: NoteReader) -> list[Service]:
    """What is served, beside health and reflection.

    Args:
        settings: The settings in force.
        games: Game types by name.
        floor: The tables.
        feed: Tells of them.
        notes: What is noted of their past.
    """
    pricing, tables = PricingServicer(games, settings.write_timeout), TableServicer(floor, settings.write_timeout)
    trading = TradingServicer(floor, Policies(floor.joint, games))
    return [
        Service(_PRICES, pricing_service_pb2_grpc.add_PricingServiceServicer_to_server, pricing),
        Service(_TABLES, table_service_pb2_grpc.add_TableServiceServicer_to_server, tables),
        Service(_TRADING, trading_service_pb2_grpc.add_TradingServiceServicer_to_server, trading),
        Service(_ODDS, add_odds_service, OddsServicer(feed)),
        Service(_HISTORY, history_service_pb2_grpc.add_HistoryServiceServicer_to_server, HistoryServicer(floor, notes)),
    ]
