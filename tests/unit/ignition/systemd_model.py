# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Model the part of systemd that decides which units run and in which order.

The model covers enablement (WantedBy, RequiredBy), Wants, Requires, BindsTo, After, Before, Conflicts, PartOf,
ConditionPathExists, ConditionPathExistsGlob. If a condition skips a unit, units that require it do not fail, but units
bound to it do not start. If a requirement of a unit fails, the unit fails.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import itertools
import re
from collections.abc import Callable, Iterable, Mapping

from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

Unit = dict[str, list[str]]
TARGETS = ("multi-user.target", "getty@tty1.service", "serial-getty@.service")
# What the operating system has, in the order in which it starts.
SYSTEM = ("local-fs.target", "systemd-udev-settle.service", "NetworkManager.service", "network-online.target", *TARGETS)


def parse(text: str) -> Unit:
    """``Section.Key`` -> values in order; a line that ends in a backslash goes on."""
    unit: Unit = {}
    section = ""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line.strip():
            key, _, value = line.partition("=")
            unit.setdefault(f"{section}.{key}", []).append(value)
    return unit


def units(live: LiveIgnition) -> dict[str, Unit]:
    """The units of a config by their name without ``.service``."""
    return {unit.name.removesuffix(".service"): parse(unit.contents) for unit in live.units}


def words(unit: Unit, key: str) -> set[str]:
    """The words of a ``Section.Key``, units without ``.service``."""
    return {word.removesuffix(".service") for value in unit.get(key, []) for word in value.split()}


@dataclasses.dataclass
class Boot:
    """What came of it: units in the order in which they ran, and for those that did not the reason."""

    ran: list[str]
    skipped: dict[str, str]

    def before(self, first: str, then: str) -> bool:
        return self.ran.index(f"{first}.service") < self.ran.index(f"{then}.service")


class Systemd:
    """``units`` maps name to text, ``enabled`` are those with their links made; ``effects`` are called with the files
    when a unit runs.
    """

    def __init__(
        self,
        units: Mapping[str, str],
        enabled: Iterable[str],
        files: Iterable[str],
        effects: Mapping[str, Callable[[set[str]], None]],
    ) -> None:
        self.units = {name: parse(text) for name, text in units.items()}
        self.enabled = set(enabled)
        self.files = set(files)
        self.effects = effects

    def words(self, name: str, *keys: str) -> list[str]:
        return [word for key in keys for value in self.units.get(name, {}).get(key, []) for word in value.split()]

    def pulled(self, *roots: str) -> list[str]:
        """The units of the transaction that starts these; Conflicts among them make it impossible."""
        found: list[str] = []
        waiting = list(roots)
        while waiting:
            name = waiting.pop(0)
            if name in found:
                continue
            found.append(name)
            waiting += [
                other for other in self.enabled if name in self.words(other, "Install.WantedBy", "Install.RequiredBy")
            ]
            waiting += [
                other
                for other in self.words(name, "Unit.Wants", "Unit.Requires", "Unit.BindsTo")
                if other in self.units
            ]
        return found

    def conflicts(self, transaction: Iterable[str]) -> list[tuple[str, str]]:
        names = list(transaction)
        return [(name, other) for name in names for other in self.words(name, "Unit.Conflicts") if other in names]

    def order(self, transaction: Iterable[str]) -> list[str]:
        """Sorted by After and Before; raises ValueError for a circle."""
        names = list(dict.fromkeys([*SYSTEM, *transaction]))
        earlier: dict[str, set[str]] = {name: set(self.words(name, "Unit.After")) for name in names}
        for name in names:
            for later in self.words(name, "Unit.Before"):
                earlier.setdefault(later, set()).add(name)
            if name in self.units and "no" not in self.words(name, "Unit.DefaultDependencies"):
                # Of a target: it is reached when what it wants has been started.
                for target in self.words(name, "Install.WantedBy"):
                    if target in TARGETS:
                        earlier[target].add(name)
        for first, then in itertools.pairwise(SYSTEM[:4]):
            earlier[then].add(first)
        ordered: list[str] = []
        while len(ordered) < len(names):
            ready = next(
                (name for name in names if name not in ordered and not (earlier[name] & set(names)) - set(ordered)),
                None,
            )
            if ready is None:
                raise ValueError(f"circle among {sorted(set(names) - set(ordered))}")
            ordered.append(ready)
        return [name for name in ordered if name in self.units]

    def boot(self) -> Boot:
        return self.start(*TARGETS)

    def start(self, *roots: str) -> Boot:
        transaction = self.pulled(*roots)
        assert self.conflicts(transaction) == []
        boot = Boot([], {})
        for name in self.order(transaction):
            reason = self._refusal(name, boot)
            if reason:
                boot.skipped[name] = reason
            else:
                boot.ran.append(name)
                self.effects.get(name, lambda files: None)(self.files)
        return boot

    def _refusal(self, name: str, boot: Boot) -> str:
        for bound in self.words(name, "Unit.BindsTo"):
            if bound in self.words(name, "Unit.After") and bound in boot.skipped:
                return f"bound to {bound}"
        for required in self.words(name, "Unit.Requires"):
            if required not in self.units:
                return f"{required} does not exist"
            if boot.skipped.get(required, "condition").split()[0] != "condition":
                return f"needs {required}"
        unit = self.units[name]
        conditions = [*unit.get("Unit.ConditionPathExists", []), *unit.get("Unit.ConditionPathExistsGlob", [])]
        for condition in conditions:
            if not condition.startswith("|") and not self._holds(condition):
                return f"condition {condition}"
        # Of those with "|" one is enough.
        alternatives = [condition[1:] for condition in conditions if condition.startswith("|")]
        if alternatives and not any(map(self._holds, alternatives)):
            return f"condition {' or '.join(alternatives)}"
        return ""

    def _holds(self, condition: str) -> bool:
        found = any(fnmatch.fnmatchcase(path, condition.lstrip("!")) for path in self.files)
        return found is not condition.startswith("!")

    def restarted_with(self, name: str) -> set[str]:
        """The units that stop when this one does, and start again with it if something wants them."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            bound = {
                other
                for other in self.units
                if current in self.words(other, "Unit.PartOf", "Unit.BindsTo", "Unit.Requires")
            }
            waiting += bound - found
            found |= bound
        return found
