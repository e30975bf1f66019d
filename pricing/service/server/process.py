"""A process that is a server: its log, its signals, its exit code."""

import asyncio
import gc
import logging
import signal
from pathlib import Path
from typing import Final

from pricing import __version__
from pricing.games import load_games
from pricing.service.calls.logs import facts, logging_to_stderr
from pricing.service.server.server import RunningServer
from pricing.service.settings import Settings, shown

_logger = logging.getLogger(__name__)

DRAINED: Final = 0
CUT_SHORT: Final = 1

_MOMENT: Final = 0.2
"""Seconds."""


def run(settings: Settings, config: Path | None = None) -> int:
    """Serve until a signal says to stop; a second one stops at once.

    Returns:
        The exit code: 0 after draining, 1 if that was cut short.

    Raises:
        PricingError: A setting, or a file that one names, that cannot be used.
        OSError: An address that cannot be had.
    """
    with logging_to_stderr(settings.log_level, settings.log_format):
        return asyncio.run(_serve(settings, config))


def _signals() -> "asyncio.Queue[signal.Signals]":
    """The signals to stop, as they come; two in one moment are one, as some supervisors tell process and group."""
    loop, told, last = asyncio.get_running_loop(), asyncio.Queue[signal.Signals](), 0.0

    def tell(number: signal.Signals) -> None:
        nonlocal last
        before, last = last, loop.time()
        if last - before > _MOMENT:
            told.put_nowait(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, tell, number)
    return told


async def _serve(settings: Settings, config: Path | None) -> int:
    told = _signals()
    server = RunningServer(settings, load_games(settings.games))
    await server.start()
    # What is there by now stays: the collector need not go through it again and again while calls wait.
    gc.collect()
    gc.freeze()
    in_force = {**shown(settings), "listen": server.address, "http": server.http_address}
    _logger.info("serving", extra=facts(version=__version__, config=config, **in_force))
    ended, signalled = asyncio.create_task(server.ended()), asyncio.create_task(told.get())
    await asyncio.wait((ended, signalled), return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        _logger.critical("ended by itself", exc_info=ended.exception())
        return CUT_SHORT
    _logger.info("draining", extra=facts(signal=signalled.result().name, grace=settings.grace))
    drained, again = asyncio.create_task(server.drain(settings.grace)), asyncio.create_task(told.get())
    await asyncio.wait((drained, again), return_when=asyncio.FIRST_COMPLETED)
    if not drained.done():
        _logger.warning("stopped before all calls had ended", extra=facts(signal=again.result().name))
        return CUT_SHORT
    await drained
    _logger.info("stopped")
    return DRAINED
