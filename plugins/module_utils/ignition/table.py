# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What an agent image of ours holds, as a table: every file and unit, who reads it, and what upstream's image has that ours has not.

docs/ignition-files.md is this module's :func:`markdown`; tests compare the page, this table and real Ignition configs with each other.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class FileRow:
    """Files of one kind. ``<word>`` in the path stands for a part that differs from host to host; ``note`` qualifies the mode."""

    path: str
    mode: int
    reader: str
    when: str = "always"
    note: str = ""

    def matches(self, path: str) -> bool:
        pattern = "".join("[^/]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", self.path))
        return re.fullmatch(pattern, path) is not None

    @property
    def mode_text(self) -> str:
        return f"{self.mode:04o}{f' ({self.note})' if self.note else ''}"


@dataclasses.dataclass(frozen=True)
class UnitRow:
    name: str
    runs_on: str
    does: str
    when: str = "always"


_NODE0 = "rendezvous host"
_EVERY = "every host"
_HOSTS = "a host is configured"
_STATIC = "a host has a networkConfig"
_CLIENT = "agent-register-cluster, agent-register-infraenv"

FILES = (
    FileRow("/etc/NetworkManager/conf.d/clientid.conf", 0o600, "NetworkManager"),
    FileRow("/etc/assisted/extra-manifests/<base>-<n><suffix>", 0o644, "agent-register-cluster", "files in openshift/"),
    FileRow("/etc/assisted/hostconfig/<host>/mac_addresses", 0o644, "apply-host-config", _HOSTS),
    FileRow("/etc/assisted/hostconfig/<host>/role", 0o644, "apply-host-config", "the host has a role"),
    FileRow("/etc/assisted/hostconfig/<host>/root-device-hints.yaml", 0o644, "apply-host-config", "the host has root device hints"),
    FileRow("/etc/assisted/hostconfig/<host>/fencing-credentials.yaml", 0o644, "apply-host-config", "a fencing credential names a MAC address only"),
    FileRow("/etc/assisted/hostconfig/fencing-credentials.yaml", 0o644, "apply-host-config", "fencing credentials name hosts"),
    FileRow("/etc/assisted/hostnames/<mac>", 0o600, "set-hostname", "the host has a hostname"),
    FileRow("/etc/assisted/manifests/agent-cluster-install.yaml", 0o600, "agent-register-cluster"),
    FileRow("/etc/assisted/manifests/cluster-deployment.yaml", 0o600, "agent-register-cluster"),
    FileRow("/etc/assisted/manifests/cluster-image-set.yaml", 0o600, "agent-register-cluster"),
    FileRow("/etc/assisted/manifests/infraenv.yaml", 0o600, "agent-register-infraenv"),
    FileRow("/etc/assisted/manifests/nmstateconfig.yaml", 0o600, "agent-register-infraenv", _STATIC),
    FileRow("/etc/assisted/manifests/pull-secret.yaml", 0o600, _CLIENT),
    FileRow("/etc/assisted/network/host<n>/<connection>.nmconnection", 0o600, "pre-network-manager-config", _STATIC),
    FileRow("/etc/assisted/network/host<n>/mac_interface.ini", 0o600, "pre-network-manager-config", _STATIC),
    FileRow("/etc/assisted/rendezvous-host.env", 0o600, "node-zero, agent, assisted-service and every unit that calls it", note="0644 up to 4.21"),
    FileRow("/etc/chrony.conf", 0o644, "chronyd", "NTP sources are given"),
    FileRow("/etc/containers/containers.conf", 0o644, "podman", note="appended"),
    FileRow("/etc/containers/registries.conf", 0o644, "podman, agent-register-cluster, assisted-service"),
    FileRow("/etc/issue", 0o600, "the console"),
    FileRow("/etc/motd.d/10-agent-installer", 0o600, "whoever logs in"),
    FileRow("/etc/multipath.conf", 0o600, "multipathd"),
    FileRow("/etc/pki/ca-trust/source/anchors/domain.crt", 0o600, "the host's trust store; with mirrors also the containers", "a trust bundle is given"),
    FileRow("/etc/systemd/system.conf.d/10-default-env.conf", 0o600, "systemd: the proxy as environment of every unit; empty without one"),
    FileRow("/opt/agent/tls/<signer>.crt", 0o600, "assisted-service"),
    FileRow("/opt/agent/tls/<signer>.key", 0o600, "assisted-service"),
    FileRow("/opt/agent/tls/kubeadmin-password.hash", 0o600, "assisted-service"),
    FileRow("/root/.docker/config.json", 0o600, "podman"),
    FileRow("/root/assisted.te", 0o600, "selinux"),
    FileRow("/usr/local/bin/agent-gather", 0o555, "a person in trouble"),
    FileRow("/usr/local/bin/common.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/configure-assisted-hw-requirements.sh", 0o555, "assisted-service", "4.21 and later"),
    FileRow("/usr/local/bin/extract-agent.sh", 0o555, "agent"),
    FileRow("/usr/local/bin/get-container-images.sh", 0o555, "assisted-service-pod"),
    FileRow("/usr/local/bin/install-status.sh", 0o555, "install-status"),
    FileRow("/usr/local/bin/issue_status.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/pre-network-manager-config.sh", 0o755, "pre-network-manager-config", _STATIC),
    FileRow("/usr/local/bin/release-image-download.sh", 0o555, "agent, assisted-service-pod"),
    FileRow("/usr/local/bin/release-image.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/set-hostname.sh", 0o555, "set-hostname"),
    FileRow("/usr/local/bin/set-node-zero.sh", 0o555, "node-zero"),
    FileRow("/usr/local/bin/start-agent.sh", 0o555, "agent"),
    FileRow("/usr/local/bin/start-cluster-installation.sh", 0o555, "start-cluster-installation"),
    FileRow("/usr/local/bin/wait-for-assisted-service.sh", 0o555, f"{_CLIENT}, apply-host-config"),
    FileRow("/usr/local/share/assisted-service/assisted-db.env", 0o600, "assisted-service-db"),
    FileRow("/usr/local/share/assisted-service/assisted-service.env", 0o600, "assisted-service and every unit that calls it"),
    FileRow("/usr/local/share/assisted-service/images.env", 0o600, "assisted-service"),
    FileRow("/usr/local/share/start-cluster/start-cluster.env", 0o600, "start-cluster-installation"),
)

DIRECTORIES = (FileRow("/etc/assisted/extra-manifests", 0o644, "agent-register-cluster"),)

UNITS = (
    UnitRow("agent-register-cluster.service", _NODE0, "registers the cluster from the manifests"),
    UnitRow("agent-register-infraenv.service", _NODE0, "registers the infra-env"),
    UnitRow("agent.service", _EVERY, "fetches the agent out of the release and runs it"),
    UnitRow("apply-host-config.service", _NODE0, "sets role, installation disk and fencing of every configured host; not enabled, required by the next"),
    UnitRow("assisted-service-db.service", _NODE0, "the service's database"),
    UnitRow("assisted-service-pod.service", _NODE0, "finds the release's images, makes the pod of the two services"),
    UnitRow("assisted-service.service", _NODE0, "the assisted service, port 8090"),
    UnitRow("install-status.service", _NODE0, "shows the state of the installation on the console"),
    UnitRow("node-zero.service", _EVERY, "finds out whether this is the rendezvous host"),
    UnitRow("pre-network-manager-config.service", _EVERY, "gives this host's keyfiles to NetworkManager", _STATIC),
    UnitRow("selinux.service", _EVERY, "loads the SELinux module that lets containers ask chronyd"),
    UnitRow("set-hostname.service", _EVERY, "sets the hostname that belongs to a MAC address of this host"),
    UnitRow("start-cluster-installation.service", _NODE0, "starts the installation when exactly the required hosts are known"),
)

_NO_TUI = "agent-tui is a program of the installer that needs oc and a rebuilt initrd; the units that start it are skipped without it, so they are left out"
_NO_UI = "no interactive installation: the cluster is described before the image is built"
_NO_APPLIANCE = "configuration that arrives on a second medium is the appliance's workflow, not the one that installs from this image"
_NO_ADD_NODES = "belongs to the workflow that adds nodes to an installed cluster"
_NO_ISCSI = "a live system booted from iSCSI is not among the boot methods of this collection"

OMITTED: Mapping[str, str] = {
    "/etc/assisted/manifests/agent-config.yaml": "nothing on the live system reads it, and it may hold BMC passwords",
    "/etc/assisted/agent-installer.env": _NO_TUI,
    "/etc/assisted/add-nodes.env": _NO_ADD_NODES,
    "/etc/assisted/clusterconfig/worker-ignition-endpoint.json": _NO_ADD_NODES,
    "/etc/assisted/clusterconfig/import-cluster-config.json": _NO_ADD_NODES,
    "/etc/udev/rules.d/80-agent-config-image.rules": _NO_APPLIANCE,
    "/usr/local/bin/add-node.sh": _NO_ADD_NODES,
    "/usr/local/bin/agent-auth-token-status.sh": _NO_ADD_NODES,
    "/usr/local/bin/agent-config-image-wait.sh": _NO_APPLIANCE,
    "/usr/local/bin/agent-extract-tui.sh": _NO_TUI,
    "/usr/local/bin/bootstrap-service-record.sh": "it records service results for a log analyser of another installation method; the journal holds the same",
    "/usr/local/bin/load-config-iso.sh": _NO_APPLIANCE,
    "/usr/local/bin/oci-eval-user-data.sh": "user data of Oracle Cloud; that platform's images are not built here",
    "agent-add-node.service": _NO_ADD_NODES,
    "agent-auth-token-status.service": _NO_ADD_NODES,
    "agent-check-config-image.service": _NO_APPLIANCE,
    "agent-extract-tui.service": _NO_TUI,
    "agent-import-cluster.service": _NO_ADD_NODES,
    "agent-interactive-console.service": _NO_TUI,
    "agent-interactive-console-serial@.service": _NO_TUI,
    "agent-ui.service": _NO_UI,
    "iscsiadm.service": _NO_ISCSI,
    "iscsistart.service": _NO_ISCSI,
    "load-config-iso@.service": _NO_APPLIANCE,
    "multipathd.service": "upstream lists it without shipping it, which has no effect; the operating system enables its own",
    "oci-eval-user-data.service": "user data of Oracle Cloud; that platform's images are not built here",
}

# What is deliberately different from upstream in a file or unit that both have.
DIFFERENCES = (
    "Scripts and units are this collection's own text with the behaviour that upstream's have.",
    "The registering units repeat a failed call every 30 seconds inside the unit, because a failed start would take the units that require it down with it.",
    "A mirror is found for a release image whose registry has a port; with a tag as release image the mirror is also tried by its own name.",
    "noProxy is completed with the rendezvous host's machine network when the rendezvous IP is derived, too, not only when it is given.",
    "A fencing credential that names only a MAC address lies beside the host with that MAC (as upstream does from July 2026 on).",
    "The start script sets every configured role for good before it starts: the client leaves a host to auto-assign whose suggestion is right at that "
    "moment, and a suggestion that changes a moment later makes a worker and a control-plane host swap places.",
    "node-zero does not make signers: they are always in the image.",
    "`kind: InternalReleaseImage` among the extra manifests raises the disk requirement at boot as upstream's script does.",
)


def row_of(path: str) -> FileRow | None:
    """The row of a file of the live system, exact paths first; None for a file that the table does not know."""
    return min((row for row in FILES if row.matches(path)), key=lambda row: row.path.count("<"), default=None)


def markdown() -> str:
    """The page docs/ignition-files.md."""
    parts = [
        "# What an agent image holds\n",
        "<!-- Generated from plugins/module_utils/ignition/table.py: PYTHONPATH=.build python tests/generate_docs.py -->\n",
        "An agent image that this collection builds is an unmodified CoreOS live image with one Ignition config (spec 3.2.0) in its embed area. These are the\n"
        "config's files and units for installing a cluster of release 4.20, 4.21 or 4.22. All files belong to root and replace what was there, unless noted.\n",
        "## Files\n",
        _table(("path", "mode", "when", "read by"), ((f"`{row.path}`", row.mode_text, row.when, row.reader) for row in FILES)),
        "Signers: `kube-apiserver-lb-signer`, `kube-apiserver-localhost-signer`, `kube-apiserver-service-network-signer`, `admin-kubeconfig-signer`.\n",
        "Directories:\n",
        _table(("path", "mode", "when", "read by"), ((f"`{row.path}`", row.mode_text, row.when, row.reader) for row in DIRECTORIES)),
        "User `core` gets the cluster's SSH keys and, for the console, the kubeadmin password.\n",
        "## Units\n",
        _table(("unit", "runs on", "when", "does"), ((f"`{row.name}`", row.runs_on, row.when, row.does) for row in UNITS)),
        "## Not in the image\n",
        "Images of `openshift-install agent create image` hold these as well:\n",
        _table(("file or unit", "why not here"), ((f"`{name}`", reason) for name, reason in OMITTED.items())),
        "## Different from upstream\n",
        "".join(f"* {difference}\n" for difference in DIFFERENCES),
    ]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
