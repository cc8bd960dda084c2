# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A hub that hosts clusters, a rack of machines, and playbooks that are run against them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Lab, Run

# Host of the inventory -> its hostname.
HOSTS = {f"node-{number}": f"node-{number}" for number in range(6)} | {"node-1": "node-1.guest.example.com"}
CONFIRMED = {"openshift_confirm": "guest"}


@dataclasses.dataclass(frozen=True)
class Site:
    """A hub that hosts clusters, six machines, and the inventory of both."""

    deployment: Deployment

    @property
    def lab(self) -> Lab:
        return self.deployment.lab

    def play(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.deployment.run(playbook, *options, extra=extra)
        assert "Traceback" not in run.output, run.output
        return run

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.play(playbook, *options, **extra)
        assert run.ok, run.output
        return run

    def scaled(self, *options: str, **pool: Any) -> Run:
        return self.played("scale_node_pool", *options, openshift_node_pool=pool)

    def nodes(self) -> set[str]:
        """Names of the Nodes that are Ready, as the lab sees the hosted cluster."""
        clusters = self.lab.status()["clusters"]
        return {name for cluster in clusters for name, state in cluster["nodes"].items() if state == "Ready"}

    def states(self) -> dict[str, str]:
        """What the lab says of each machine."""
        return {machine["name"]: str(machine["phase"]) for machine in self.lab.status()["machines"]}


def changed(site: Site, before: dict[str, int]) -> set[str]:
    """Machines whose BMC was written to since."""
    return {name for name, writes in site.lab.writes().items() if writes > before[name]}


def make_site(make_lab: MakeLab, directory: Path) -> Site:
    """The inventory ``hosted`` and the lab that plays it."""
    return Site(Deployment(make_lab(directory, canary_site("hosted", directory)), canary_inventory("hosted", directory), directory))
