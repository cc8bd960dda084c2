# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the address of this machine that the BMCs can reach."""

from __future__ import annotations

import dataclasses
import socket
from collections.abc import Callable, Sequence

from ..common.connect import DIRECT, ConnectTo
from ..common.errors import ZeroTouchError

# TEST-NET-1 (RFC 5737): the address of no machine, so its route is the default route.
_ANYWHERE = ("192.0.2.1", 443)


@dataclasses.dataclass(frozen=True)
class Peer:
    """A machine that will read the image: its name for the user, and an address and port of it."""

    name: str
    host: str
    port: int


def source_address(host: str, port: int) -> str:
    """The local address that a packet to the host would come from. Asks the routing table; nothing is sent.

    Raises OSError when the name cannot be resolved or there is no route.
    """
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except ValueError:  # a part of the name is empty or longer than 63 characters
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
    with socket.socket(family, kind, protocol) as probe:
        probe.connect(address)
        return str(probe.getsockname()[0]).partition("%")[0]


def address_for(
    peers: Sequence[Peer], connect_to: ConnectTo = DIRECT, source: Callable[[str, int], str] = source_address
) -> tuple[str, list[str]]:
    """The local address to put into the URL, and warnings; without peers the address of the default route.

    Raises :class:`ZeroTouchError` when no route leads to any of them.
    """
    found: dict[str, list[str]] = {}
    reasons = []
    for peer in peers or (Peer("the default route", *_ANYWHERE),):
        try:
            address = source(*connect_to.resolve(peer.host, peer.port))
        except OSError as error:
            why = error.strerror or error
            reasons.append(f"{peer.name}: {why}")
            continue
        found.setdefault(address, []).append(peer.name)
    if not found:
        raise ZeroTouchError(
            "No address of this machine leads to the BMCs, so no URL can be made for the image: "
            + "; ".join(reasons[:3])
            + ".",
            "Set openshift_publish.listen to the address by which the BMCs reach this machine, or url and port.",
        )
    chosen = max(found, key=lambda address: len(found[address]))
    warnings = [f"No route was found to {reason}." for reason in reasons]
    if len(found) > 1:
        hosts = {address: ", ".join(names[:3]) + (" …" if len(names) > 3 else "") for address, names in found.items()}
        ways = "; ".join(f"{address} for {names}" for address, names in hosts.items())
        warnings.append(
            f"The BMCs reach this machine by different addresses ({ways}); the image's URL has {chosen}. Set "
            "openshift_publish.listen to another address if that is wrong, or url and port."
        )
    return chosen, warnings
