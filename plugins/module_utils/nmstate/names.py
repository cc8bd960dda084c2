# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the interface to which a name in an nmstate document refers.

The values of base-iface, next-hop-interface and copy-mac-from can be the name of an interface, one of its alternative
names, or the name of a profile.
"""

from __future__ import annotations

from collections.abc import Iterable

from .loopback import LOOPBACK
from .model import NetInterface


class InterfaceNames:
    """Look up names in the order of nmstate.

    Kernel names of interfaces with state ``up`` come first, then alternative names, then profile names.
    """

    def __init__(self, interfaces: Iterable[NetInterface]) -> None:
        self._kernel = {LOOPBACK.name}
        self._alternative: dict[str, str] = {}
        self._profiles: dict[str, list[str]] = {}
        for entry in interfaces:
            if entry.userspace:
                continue
            if entry.state == "up":
                if not entry.by_mac:
                    self._kernel.add(entry.name)
                self._alternative.update(dict.fromkeys(entry.alt_names, entry.name))
            if entry.profile_name:
                self._profiles.setdefault(entry.profile_name, []).append(entry.name)

    def find(self, name: str) -> tuple[str, ...]:
        """The names of the kernel that ``name`` may mean; several where profiles share it."""
        if name in self._kernel:
            return (name,)
        if name in self._alternative:
            return (self._alternative[name],)
        return tuple(self._profiles.get(name, ()))
