# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert old layouts of install-config.yaml and agent-config.yaml to the current layout, with one warning for each
change.

Source: openshift/installer pkg/types/conversion/installconfig.go.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Callable

from ..common.problems import DEPRECATED, IGNORED, INVALID, REQUIRED, Layer, Problem
from .tree import Item

AGENT_API_VERSION = "v1beta1"


class Upgrade:
    """Changes a document in place and collects one problem for each change.

    Keys match without regard to case, as everywhere in these files.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        # Files whose version or layout the installer refuses: it reads no further in them.
        self.refused: set[str] = set()

    def refuse(self, item: Item, kind: str, detail: str, value: str = "", path: str = "") -> None:
        """An error that ends the checks of its file; only the first one counts."""
        if item.file not in self.refused:
            self.error(item, kind, detail, value, path)
        self.refused.add(item.file)

    def warn(self, item: Item, kind: str, detail: str, check: str = "deprecated-field", layer: Layer = "ours") -> None:
        # The installer reads old layouts without a word.
        self.problems.append(
            Problem(
                item.path, kind, detail, severity="warning", layer=layer, check=check, file=item.file, line=item.line
            )
        )

    def error(self, item: Item, kind: str, detail: str, value: str = "", path: str = "") -> None:
        self.problems.append(Problem(path or item.path, kind, detail, file=item.file, line=item.line, value=value))

    def install_config(self, document: Item) -> None:
        """Deprecated fields of install-config.yaml."""
        self.api_version(document)
        networking = find(document, "networking")
        if networking is not None:
            self.networking(networking)
        platform = find(document, "platform")
        baremetal = find(platform, "baremetal") if platform is not None else None
        if baremetal is not None:
            self.provisioning(baremetal)
        for name in ("baremetal", "vsphere", "nutanix"):
            options = find(platform, name) if platform is not None else None
            if options is not None:
                self.vip(options, f"platform.{name}.apiVIPs", "apiVIP", "apiVIPs")
                self.vip(options, f"platform.{name}.ingressVIPs", "ingressVIP", "ingressVIPs")

    def api_version(self, document: Item) -> None:
        version = find(document, "apiVersion")
        if version is None or version.value == "":
            self.refuse(
                document if version is None else version, REQUIRED, "install-config version required", path="apiVersion"
            )
        elif version.value in ("v1beta3", "v1beta4"):
            self.warn(version, DEPRECATED, f"{version.value} is read as v1", "layout-upgraded")
            version.value = "v1"
        elif isinstance(version.value, str) and version.value != "v1":
            self.refuse(version, INVALID, 'install-config version must be "v1"', f'"{version.value}"')

    def networking(self, networking: Item) -> None:
        self.rename(networking, "type", "networkType")
        self.rename(networking, "clusterNetworks", "clusterNetwork")
        self.rename(networking, "serviceCIDR", "serviceNetwork", lambda item: dataclasses.replace(item, value=[item]))
        self.rename(networking, "machineCIDR", "machineNetwork", _one_machine_network)
        cluster_networks = find(networking, "clusterNetwork")
        for entry in cluster_networks.elements() if cluster_networks else []:
            self.host_prefix(entry)

    def host_prefix(self, entry: Item) -> None:
        old = take(entry, "hostSubnetLength")
        if old is None:
            return
        self.warn(old, DEPRECATED, "hostSubnetLength is deprecated and read as hostPrefix")
        if not isinstance(old.value, int) or isinstance(old.value, bool):
            self.refuse(old, INVALID, "a whole number is expected")
            return
        cidr = find(entry, "cidr")
        try:
            width = ipaddress.ip_network(str(cidr.value) if cidr else "", strict=False).max_prefixlen
            prefix = width - int(old.value)
        except (TypeError, ValueError):
            return  # the CIDR is reported where networks are checked
        new = find(entry, "hostPrefix")
        if new is None or new.value == 0:
            put(entry, "hostPrefix", dataclasses.replace(old, value=prefix))
        elif new.value != prefix:
            self.contradiction(
                new, (f"hostPrefix and hostSubnetLength have different values ({prefix}); hostPrefix is used")
            )

    def contradiction(self, item: Item, detail: str) -> None:
        """The installer takes the new field without a message; a user who writes both meant something else."""
        self.problems.append(Problem(item.path, INVALID, detail, layer="ours", file=item.file, line=item.line))

    def vip(self, options: Item, path: str, old_name: str, new_name: str) -> None:
        old = take(options, old_name)
        if old is None or old.value == "":
            return
        self.warn(old, DEPRECATED, f"{old_name} is deprecated and read as {new_name}")
        new = find(options, new_name)
        if new is None or not new.value:
            put(options, new_name, dataclasses.replace(old, value=[old]))
        elif old.value not in [element.value for element in new.elements()]:
            # The installer has the two names the wrong way round.
            self.refuse(
                new, INVALID, f"{new_name} is deprecated; only {old_name} needs to be specified", f'"{old.value}"', path
            )

    def provisioning(self, options: Item) -> None:
        external = take(options, "provisioningDHCPExternal")
        if external is not None:
            self.warn(
                external,
                DEPRECATED,
                ("provisioningDHCPExternal is deprecated and read as provisioningNetwork: Unmanaged, if it is true"),
            )
            if not isinstance(external.value, bool):
                self.refuse(external, INVALID, "true or false is expected")
            if external.value is True and find(options, "provisioningNetwork") is None:
                put(options, "provisioningNetwork", dataclasses.replace(external, value="Unmanaged"))
        old, new = find(options, "provisioningHostIP"), find(options, "clusterProvisioningIP")
        if old is not None and new is not None and old.value and new.value and old.value != new.value:
            take(options, "provisioningHostIP")
            detail = "provisioningHostIP is deprecated; only clusterProvisioningIP needs to be specified"
            self.refuse(old, INVALID, detail, f'"{old.value}"', "platform.baremetal.provisioningHostIP")
        self.rename(options, "provisioningHostIP", "clusterProvisioningIP")

    def rename(self, parent: Item, old_name: str, new_name: str, convert: Callable[[Item], Item] | None = None) -> None:
        old = take(parent, old_name)
        if old is None:
            return
        self.warn(old, DEPRECATED, f"{old_name} is deprecated and read as {new_name}")
        converted = convert(old) if convert else old
        new = find(parent, new_name)
        if new is None or not new.value:
            put(parent, new_name, converted)
        elif _bare(new) != _bare(converted):
            self.contradiction(
                new,
                (
                    f"{new_name} and the deprecated {old_name} are both set and have different values; {new_name} is "
                    "used"
                ),
            )

    def agent_config(self, document: Item) -> None:
        """Earlier layouts of agent-config.yaml."""
        hosts = find(document, "hosts")
        for host in hosts.elements() if hosts else []:
            for key, item in host.mapping().items():
                if key.lower() == "networkconfig" and item.value is None:
                    item.value = {}  # nmstate is given it, and refuses it
        spec = find(document, "spec")
        if spec is not None and spec.is_mapping:
            take(document, "spec")
            names = ", ".join(spec.mapping())
            self.warn(
                spec,
                DEPRECATED,
                (f"this is the layout before the first release; read as if {names} stood at the top level"),
                "layout-upgraded",
                "ours",
            )
            for key, item in spec.mapping().items():
                if find(document, key) is None:
                    put(document, key, item)
                else:
                    self.warn(
                        item,
                        IGNORED,
                        f"{key} is set under spec and at the top level; the value at the top level is used",
                        "layout-upgraded",
                        "ours",
                    )
        self.agent_api_version(document, prerelease=spec is not None)

    def agent_api_version(self, document: Item, *, prerelease: bool) -> None:
        version = find(document, "apiVersion")
        if version is None or version.value == "":
            if not prerelease:
                self.refuse(document, REQUIRED, "no version was provided", path="apiVersion")
            put(document, "apiVersion", Item(AGENT_API_VERSION, "", document.file, document.line))
        elif version.value == "v1alpha1":
            if not prerelease:
                self.warn(version, DEPRECATED, f"v1alpha1 is read as {AGENT_API_VERSION}", "layout-upgraded")
            version.value = AGENT_API_VERSION
        elif isinstance(version.value, str) and version.value != AGENT_API_VERSION:
            self.refuse(version, INVALID, f"cannot upconvert from version {version.value}", f'"{version.value}"')


def find(parent: Item, name: str) -> Item | None:
    """The item under a key, without regard to case; None when there is none or it is null."""
    for key, item in parent.mapping().items():
        if key.lower() == name.lower() and item.value is not None:
            return item
    return None


def take(parent: Item, name: str) -> Item | None:
    """Like find, and removes it."""
    for key, item in list(parent.mapping().items()):
        if key.lower() == name.lower():
            del parent.value[key]
            return item if item.value is not None else None
    return None


def put(parent: Item, name: str, item: Item) -> None:
    """Set a key, in place of any spelling of it."""
    take(parent, name)
    parent.mapping()[name] = item


def _one_machine_network(item: Item) -> Item:
    return dataclasses.replace(item, value=[dataclasses.replace(item, value={"cidr": item})])


def _bare(item: Item) -> object:
    if isinstance(item.value, dict):
        return {key.lower(): _bare(value) for key, value in item.value.items()}
    return [_bare(value) for value in item.value] if isinstance(item.value, list) else item.value
