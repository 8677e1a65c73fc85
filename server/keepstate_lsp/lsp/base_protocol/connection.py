"""One client at the other end of a stream: its messages one after the other, and the end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from keepstate_lsp.baselines.git.conversation import end_all
from keepstate_lsp.lsp.base_protocol.framing import Message, MessageStream, NoMessage

log = logging.getLogger(__name__)


class Connection:
    """Hands each message to ``receive``, on the event loop, before it reads the next one; ``leaving`` is called when
    the client leaves.
    """

    def __init__(self, receive: Callable[[Message | NoMessage], None], leaving: Callable[[], None]) -> None:
        self._receive = receive
        self._leaving = leaving
        self._left: asyncio.Future[None] | None = None

    async def converse(self, stream: MessageStream) -> None:
        """Serve until the client leaves: by an exit, or by the end of its stream."""
        loop = asyncio.get_running_loop()
        self._left = loop.create_future()

        def listen() -> None:
            # The loop is closed once the client has left; a stream that breaks has ended.
            with suppress(RuntimeError):
                with suppress(OSError):
                    while (message := stream.read()) is not None:
                        handled = threading.Event()
                        loop.call_soon_threadsafe(self._handle, message, handled)
                        handled.wait()
                loop.call_soon_threadsafe(self.leave)

        for name in ("SIGTERM", "SIGHUP"):
            # Only the main thread of a Unix can listen to signals.
            with suppress(NotImplementedError, ValueError, RuntimeError, AttributeError):
                number = getattr(signal, name)
                # A signal that the parent ignores, as `nohup` does a closed terminal, stays ignored.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    loop.add_signal_handler(number, self.leave)
        # A daemon: it may be reading when all else is done.
        threading.Thread(target=listen, name="keepstate-listener", daemon=True).start()
        await self._left

    def leave(self) -> None:
        """Let ``converse`` return."""
        if self._left is not None and not self._left.done():
            self._left.set_result(None)
            self._leaving()

    def _handle(self, message: Message | NoMessage, handled: threading.Event) -> None:
        try:
            self._receive(message)
        except BrokenPipeError:
            self.leave()
        except Exception:
            log.exception("a message could not be handled")
        finally:
            handled.set()


async def watch_process(process: int, every: float, on_end: Callable[[], None]) -> None:
    """Call ``on_end`` when a process runs no more: the editor that started this one, which may leave without closing
    its end of the stream.
    """
    while _runs(process):
        await asyncio.sleep(every)
    log.warning("the process %s that started this one is gone", process)
    on_end()


def is_seen(process: int) -> bool:
    """Return whether a process can be watched from here, as an editor outside of the container cannot."""
    return process > 0 and os.name != "nt" and _runs(process)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        # The process belongs to another user, or has none.
        return True
    return not _has_ended(process)


def _has_ended(process: int) -> bool:
    """Return whether a process has ended and only its parent has not asked for its status: it takes signals still."""
    try:
        state = Path("/proc", str(process), "stat").read_bytes().rpartition(b")")[2].split()[:1]
    except OSError:
        # It is gone by now, or this system has no such files.
        return False
    return state == [b"Z"]


def end_within(seconds: float, status: Callable[[], int]) -> None:
    """End this process, with all processes of git, if it has not ended after so many seconds: whatever still waits for
    a disk does not hold up the end.
    """

    def end() -> None:
        end_all(for_good=True)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status())

    last = threading.Timer(seconds, end)
    last.daemon = True
    last.start()
