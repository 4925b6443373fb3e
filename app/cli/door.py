"""The server's door: its socket is bound before anything is promised, and its address is known while it is open."""

import errno
import socket
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from app.config.address import forget_address, record_address
from app.config.settings import Settings
from kernel.errors import ConfigurationError

_WAITING_MAX: Final = 2048
_NOT_STARTED: Final = 3


def open_door(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one.

    It listens at once: two sockets that only bind could share a port, and the later one would fail after its link.

    Raises: ConfigurationError, `port_busy` when another program listens there.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        door = socket.socket(family, kind)
    except OSError as error:
        message = f"ODEU_HOST {host!r} is no address of this machine: {error.strerror or error}"
        raise ConfigurationError(message) from error
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
        door.listen(_WAITING_MAX)
    except OSError as error:
        door.close()
        if error.errno == errno.EADDRINUSE:
            message = (
                f"port {port} on {host} is used by another program; stop it, or choose another with --port or "
                "ODEU_PORT (0 takes a free one)"
            )
            raise ConfigurationError(message, code="port_busy") from error
        message = (
            f"cannot listen on {host}, port {port}: {error.strerror}; choose others with --host and --port"
        )
        raise ConfigurationError(message) from error
    door.set_inheritable(True)
    return door


class _Server(uvicorn.Server):
    """A server that takes its address back when it stops, also when a signal ends the process right after."""

    def __init__(self, config: uvicorn.Config, settings: Settings) -> None:
        super().__init__(config)
        self._settings = settings

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and say that nothing is served any more."""
        forget_address(self._settings.data_folder)
        await super().shutdown(sockets)


def answer_at(door: socket.socket, app: ASGIApp, settings: Settings) -> None:
    """Serve on an open door until told to stop.

    Raises: SystemExit when the application does not start.
    """
    config = uvicorn.Config(
        app, access_log=False, log_level="warning", server_header=False, timeout_graceful_shutdown=5
    )
    server = _Server(config, settings)
    record_address(settings.data_folder, settings.origin)
    try:
        server.run([door])
    except KeyboardInterrupt:
        return
    finally:
        forget_address(settings.data_folder)
        door.close()
    if not server.started:
        raise SystemExit(_NOT_STARTED)
