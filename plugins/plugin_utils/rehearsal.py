# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Rehearse a deployment: run deploy_cluster in a lab, with the inventory and the command line of the user.

All connections are redirected to loopback addresses. No machine or service of the real rack is contacted.
"""

from __future__ import annotations

import json
import sys
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible import context
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.address import parse_address
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.plurals import counted
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import UNSUPPORTED, Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import secret_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.rehearsal.compare import (
    RehearsedHost,
    differences,
    nodes_of,
    not_in_lab,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.rehearsal.lab import Rehearsal, rehearsal
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.document import static_addresses
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import boot_method
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.problems import problem
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import read_rehearsal, read_settings
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variables_action import VariablesAction

# Connections and stores of the real deployment, which the lab's variables replace where the lab has them.
_WITHOUT: Mapping[str, Any] = {
    **dict.fromkeys(("openshift_hub", "openshift_assisted", "openshift_notify", "openshift_live_report")),
    "openshift_state": {"method": "directory"},
    "openshift_force": [],
}
# The part of a site file that a method needs besides the machines, and the variable of the lab that connects to it.
_REMOTE = {
    "hub": ("hub", "openshift_hub"),
    "hosted": ("hub", "openshift_hub"),
    "capi": ("hub", "openshift_hub"),
    "assisted": ("service", "openshift_assisted"),
}


class RehearsalAction(VariablesAction):
    @staticmethod
    def read(inventory: Inventory, call: Call) -> dict[str, Any]:
        return rehearse(inventory, call)


def rehearse(inventory: Inventory, call: Call) -> dict[str, Any]:
    """What differed. Raises :class:`InvalidInput` for an inventory that cannot be rehearsed, :class:`ZeroTouchError`
    for a deployment that failed.
    """
    call.add_secrets(secret_values({"settings": inventory.settings(), "hosts": inventory.read_hosts()[0]}))
    hosts = _playable_hosts(inventory)
    settings = inventory.checked_settings()
    name = read_settings(settings, inventory.directory, building=False).name
    if call.check_mode:
        call.plan([f"deploy {name} in a lab"])
        return {"differences": [], "msg": f"{name} can be rehearsed."}
    options = read_rehearsal(settings, inventory.directory)[0]
    with rehearsal(call.stop, call.progress) as played:
        extra = [text for text in context.CLIARGS.get("extra_vars") or () if isinstance(text, str)]
        site = Path(options["site"]) if options["site"] else played.draft(inventory.sources, extra)
        variables = played.start(site, speed=options["speed"], base_image=options["base_image"])
        _only_in_lab(inventory, settings, hosts, variables)
        code = played.play(_command(inventory, played, {**variables, **_checks(settings, variables)}))
        status = played.status()
        found = differences([_rehearsed(host) for host in hosts], status, name, spare=_has_spares(inventory))
    for line in found:
        call.progress(f"differs: {line}")
    if code:
        raise ZeroTouchError(
            f"The deployment of {name} failed in the lab (exit code {code}); its output is above.", "\n".join(found)
        )
    nodes, count = len(nodes_of(status, name)), counted(len(hosts), "host")
    played_hosts = f"{nodes} of {count}" if nodes < len(hosts) else count
    return {
        "differences": found,
        "msg": f"{name}: {played_hosts} of the inventory deployed in the lab, {len(found)} differences.",
    }


def _playable_hosts(inventory: Inventory) -> list[dict[str, Any]]:
    """Raises :class:`InvalidInput` with every mistake in the variables, and with what the lab cannot play."""
    # The lab brings image, hub and publishing.
    found = [
        each
        for each in check_variables(inventory, building=True, playbook="rehearse", here=False)
        if each.path != "openshift_base_image"
    ]
    hosts = inventory.read_hosts()[0]
    if not found:
        found += [each for host in hosts for each in _unplayable(host)]
        found += _unplayable_capi(_capi(inventory.checked_settings()))
    if found:
        raise InvalidInput(found)
    return hosts


def _unplayable(host: Mapping[str, Any]) -> Iterator[Problem]:
    path = f"openshift_host[{host['inventory_name']}]"
    if boot_method(host) != "bmc":
        yield problem(f"{path}.boot.method", UNSUPPORTED, f"the lab has BMCs only, no boot method {boot_method(host)}")
    if (host.get("bmc") or {}).get("fingerprint"):
        yield problem(
            f"{path}.bmc.fingerprint",
            UNSUPPORTED,
            ("the certificate of the lab's BMC has another fingerprint; rehearse with a copy without it"),
        )


def _unplayable_capi(capi: Mapping[str, Any]) -> Iterator[Problem]:
    if capi.get("infrastructure") == "user_templates":
        yield problem(
            "openshift_capi.infrastructure",
            UNSUPPORTED,
            "the hub of the lab has no machine templates of yours; it plays Metal3 only",
        )


def _capi(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    provided = settings.get("openshift_capi")
    return provided if isinstance(provided, Mapping) else {}


def _disk_images(capi: Mapping[str, Any]) -> list[str]:
    """What the hub downloads for Metal3. A checksum may be the digest itself."""
    image = (capi.get("metal3") or {}).get("image") or {}
    return [str(image[key]) for key in ("url", "checksum") if "://" in str(image.get(key) or "")]


def _endpoint(url: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(url)
    return parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)


def _has_spares(inventory: Inventory) -> bool:
    """Whether the sizes of pools decide how many hosts become Nodes."""
    return inventory.hosted or inventory.method == "capi"


def _only_in_lab(
    inventory: Inventory, settings: Mapping[str, Any], hosts: list[dict[str, Any]], variables: Mapping[str, Any]
) -> None:
    """Raises :class:`ZeroTouchError` before anything is contacted if a BMC would be the real one."""
    connect_to = ConnectTo.of(variables["openshift_connect_to"])
    addresses = {host["inventory_name"]: parse_address(host["bmc"]["address"]) for host in hosts}
    outside = not_in_lab({name: (address.host, address.port) for name, address in addresses.items()}, connect_to)
    if outside:
        raise ZeroTouchError(
            f"The lab does not have the BMC of {', '.join(outside)}. Nothing was contacted.",
            "Add the machine to openshift_rehearsal.site.",
        )
    part, variable = _REMOTE.get(str(inventory.method), ("", ""))
    if variable and not variables.get(variable):
        raise ZeroTouchError(
            f"The site file has no {part}. Nothing was contacted.", f"Add the part {part} to openshift_rehearsal.site."
        )
    images = {url: _endpoint(url) for url in _disk_images(_capi(settings))} if inventory.method == "capi" else {}
    if outside := not_in_lab(images, connect_to):
        raise ZeroTouchError(
            f"The lab does not have {', '.join(outside)}. Nothing was contacted.",
            "Add it to hub.cluster_api.disk_images in openshift_rehearsal.site.",
        )


def _command(inventory: Inventory, played: Rehearsal, variables: Mapping[str, Any]) -> list[str]:
    """The user's own command line for deploy_cluster, followed by the variables that lead into the lab: the last ones
    count.
    """
    arguments = context.CLIARGS
    options = [
        *(word for source in inventory.sources for word in ("-i", source)),
        *(word for text in arguments.get("extra_vars") or () if isinstance(text, str) for word in ("-e", text)),
        *(
            word
            for path in arguments.get("vault_password_files") or ()
            for word in ("--vault-password-file", str(path))
        ),
        *(
            word
            for name in arguments.get("vault_ids") or ()
            if "prompt" not in str(name)
            for word in ("--vault-id", str(name))
        ),
    ]
    path = played.directory / "lab.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps({**_WITHOUT, **variables, "openshift_work_dir": str(played.directory / "rehearsal")}))
    program = (
        Path(sys.argv[0])
        if Path(sys.argv[0]).name.startswith("ansible-playbook")
        else Path(sys.executable).with_name("ansible-playbook")
    )
    return [str(program), "zerotouch.openshift.deploy_cluster", *options, "-e", f"@{path}"]


def _checks(settings: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    """The user's checks, apart from those that the lab switches off."""
    provided = settings.get("openshift_checks") or {}
    return {"openshift_checks": {**provided, **variables.get("openshift_checks", {})}}


def _rehearsed(host: Mapping[str, Any]) -> RehearsedHost:
    name = str(host["inventory_name"])
    addresses = (
        [address.ip for address in static_addresses(host["network_config"])]
        if isinstance(host.get("network_config"), Mapping)
        else []
    )
    return RehearsedHost(name, str(host.get("hostname") or name), tuple(addresses))
