# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the checks of playbook preflight before the maintenance window, and print their results as a table.

First the variables of the run are checked, then the BMCs, services, registries and files that they name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.base_image import (
    BaseImage,
    BaseImageSource,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.configure import Input, read_input
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check_report import Finding, write_report
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.checks import (
    FAIL,
    CheckVerdict,
    counts,
    judge,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.observe import Preflight, observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.show import summary, table
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import read_publish
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import configuration
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import Resolved
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variables_action import (
    VariablesAction,
    defaults,
    read_deployment,
)

# Raised when the keys of the JSON document change their meaning.
SCHEMA = "zerotouch.openshift/preflight/1"


class PreflightAction(VariablesAction):
    @staticmethod
    def read(inventory: Inventory, call: Call) -> dict[str, Any]:
        return preflight(inventory, call)


def preflight(inventory: Inventory, call: Call) -> dict[str, Any]:
    """All verdicts, printed as a table. Raises :class:`InvalidInput` for variables that prevent every check."""
    resolved, state_fault = _read(inventory, call)
    verdicts = judge(observe(_asked(inventory, resolved, state_fault, call)))
    for line in table(verdicts):
        call.progress(line)
    failed = [verdict for verdict in verdicts if verdict.status == FAIL]
    result = {
        "ok": not failed,
        "checks": [dataclasses.asdict(verdict) for verdict in verdicts],
        "counts": dict(counts(verdicts)),
        "failures": [verdict.text() for verdict in failed],
        "msg": f"{resolved.settings['name']}: {summary(verdicts)}.",
    }
    if not call.check_mode:
        _report(inventory, resolved, call, result, failed)
    return result


def _read(inventory: Inventory, call: Call) -> tuple[Resolved, str]:
    """The resolved variables, and why the stored state cannot be read."""
    options = {**defaults(), "playbook": "preflight", "store": "read", "show_connections": True}
    try:
        return Resolved(read_deployment(inventory, dataclasses.replace(call, params=options))["deployment"]), ""
    except InvalidInput:
        raise
    except ZeroTouchError as error:
        without = dataclasses.replace(call, params={**options, "store": "ignore", "show_connections": False})
        return Resolved(read_deployment(inventory, without)["deployment"]), str(error)


def _asked(inventory: Inventory, resolved: Resolved, state_fault: str, call: Call) -> Preflight:
    settings = resolved.settings
    connect_to = ConnectTo.of(settings["connect_to"])
    base_image = settings["base_image"]
    return Preflight(
        method=settings["method"],
        order=tuple(str(host.get("hostname") or host["inventory_name"]) for host in resolved.hosts),
        requests=tuple(boot_requests(resolved.part("bmc_hosts"))),
        manual=tuple(resolved.part("manual_hosts")),
        deployment=_deployment(inventory, call),
        base=BaseImage(**base_image) if base_image else None,
        source=BaseImageSource(call.clock, None, connect_to, settings["ca_cert"], call.progress, True),
        publish=read_publish(settings["publish"])[0],
        work_dir=Path(settings["work_dir"]),
        bmc=BmcOptions(connect_to=connect_to, ca_cert=settings["ca_cert"], clock=call.clock, progress=call.progress),
        state_fault=state_fault,
    )


def _deployment(inventory: Inventory, call: Call) -> Deployment | None:
    """The description of the cluster; None where it is not checked here (method hosted)."""
    options = configuration(inventory, [], building=True)
    if not options:
        return None
    source = options.pop("config_dir", None)
    return read_input(
        Input(dest=Path(inventory.directory), config_dir=Path(source) if source else None, **options),
        tell_secrets=call.add_secrets,
    )[0]


def _report(
    inventory: Inventory, resolved: Resolved, call: Call, result: Mapping[str, Any], failed: Sequence[CheckVerdict]
) -> None:
    document = call.redactor.presentable({"schema": SCHEMA, "cluster": resolved.settings["name"], **result})
    findings = [
        Finding(verdict.check, f"{verdict.check} {verdict.subject}", call.redactor.presentable(verdict.text()))
        for verdict in failed
    ]
    sources = inventory.sources
    default = sources[0] if sources else "inventory"
    for line in write_report(
        resolved.settings["check_report"], document, findings, directory=inventory.directory, default_file=default
    ):
        call.progress(line)
