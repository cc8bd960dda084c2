# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the files and units in an agent image of this collection, with the program that reads each file.

Also list the files and units that only the image of openshift-install has. :func:`markdown` generates
docs/reference/ignition-files.md from this table. Tests compare the page, this table and real Ignition configs with each
other.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class FileRow:
    """Files of one kind. ``<word>`` in the path is a part that differs from host to host; ``note`` qualifies the
    mode.
    """

    path: str
    mode: int
    reader: str
    when: str = "always"
    note: str = ""

    def matches(self, path: str) -> bool:
        pattern = "".join(
            "[^/]+" if part.startswith("<") else re.escape(part) for part in re.split(r"(<[^>]+>)", self.path)
        )
        return re.fullmatch(pattern, path) is not None

    @property
    def mode_text(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.mode:04o}{note}"


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
_ADD_NODES = "nodes are added"
_INSTALL = "a cluster is installed"
_CLIENT = "agent-register-cluster, agent-import-cluster, agent-register-infraenv"
_SERVICE_USERS = "assisted-service and every unit that calls it"

FILES = (
    FileRow("/etc/NetworkManager/conf.d/clientid.conf", 0o600, "NetworkManager"),
    FileRow(
        "/etc/assisted/add-nodes.env",
        0o644,
        ("agent-import-cluster, agent-auth-token-status; its presence tells the workflows apart"),
        _ADD_NODES,
    ),
    FileRow("/etc/assisted/agent-installer.env", 0o600, "agent-interactive-console"),
    FileRow("/etc/assisted/clusterconfig/import-cluster-config.json", 0o644, "agent-import-cluster", _ADD_NODES),
    FileRow(
        "/etc/assisted/clusterconfig/worker-ignition-endpoint.json",
        0o644,
        "agent-import-cluster",
        (f"{_ADD_NODES}, whose ignition is served with a CA"),
    ),
    FileRow("/etc/assisted/extra-manifests/<base>-<n><suffix>", 0o644, "agent-register-cluster", "files in openshift/"),
    FileRow("/etc/assisted/hostconfig/<host>/mac_addresses", 0o644, "apply-host-config", _HOSTS),
    FileRow("/etc/assisted/hostconfig/<host>/role", 0o644, "apply-host-config", "the host has a role"),
    FileRow(
        "/etc/assisted/hostconfig/<host>/root-device-hints.yaml",
        0o644,
        "apply-host-config",
        "the host has root device hints",
    ),
    FileRow(
        "/etc/assisted/hostconfig/<host>/fencing-credentials.yaml",
        0o644,
        "apply-host-config",
        "a fencing credential names only a MAC address (if no host has it, the directory also contains mac_addresses)",
    ),
    FileRow(
        "/etc/assisted/hostconfig/fencing-credentials.yaml",
        0o644,
        "apply-host-config",
        "fencing credentials name hosts",
    ),
    FileRow("/etc/assisted/hostnames/<mac>", 0o600, "set-hostname", "the host has a hostname"),
    FileRow(
        "/etc/assisted/manifests/agent-cluster-install.yaml",
        0o600,
        "agent-register-cluster",
        note="empty when nodes are added",
    ),
    FileRow(
        "/etc/assisted/manifests/agent-config.yaml",
        0o600,
        "an engineer who looks for the source of the image",
        "there is an agent-config.yaml",
    ),
    FileRow(
        "/etc/assisted/manifests/cluster-deployment.yaml",
        0o600,
        "agent-register-cluster",
        note="empty when nodes are added",
    ),
    FileRow("/etc/assisted/manifests/cluster-image-set.yaml", 0o600, "agent-register-cluster"),
    FileRow("/etc/assisted/manifests/infraenv.yaml", 0o600, "agent-register-infraenv"),
    FileRow("/etc/assisted/manifests/nmstateconfig.yaml", 0o600, "agent-register-infraenv", _STATIC),
    FileRow("/etc/assisted/manifests/pull-secret.yaml", 0o600, _CLIENT),
    FileRow("/etc/assisted/network/host<n>/<connection>.nmconnection", 0o600, "pre-network-manager-config", _STATIC),
    FileRow("/etc/assisted/network/host<n>/mac_interface.ini", 0o600, "pre-network-manager-config", _STATIC),
    FileRow("/etc/assisted/rendezvous-host.env", 0o600, f"node-zero, agent, {_SERVICE_USERS}", note="0644 up to 4.21"),
    FileRow("/etc/chrony.conf", 0o644, "chronyd", "NTP sources are given"),
    FileRow("/etc/containers/containers.conf", 0o644, "podman", note="appended"),
    FileRow(
        "/etc/containers/registries.conf",
        0o644,
        "podman, agent-register-cluster, assisted-service",
        note="0600 in 4.14",
    ),
    FileRow("/etc/issue", 0o600, "the console"),
    FileRow("/etc/motd.d/10-agent-installer", 0o600, "users who log in"),
    FileRow("/etc/multipath.conf", 0o600, "multipathd"),
    FileRow(
        "/etc/pki/ca-trust/source/anchors/domain.crt",
        0o600,
        ("the host's trust store; with mirrors also the containers"),
        "a trust bundle is given",
    ),
    FileRow(
        "/etc/systemd/system.conf.d/10-default-env.conf",
        0o600,
        ("systemd: the proxy as environment of every unit; empty without one"),
    ),
    FileRow(
        "/etc/udev/rules.d/80-agent-config-image.rules",
        0o600,
        ("udev: a medium with configuration starts load-config-iso@"),
    ),
    FileRow("/opt/agent/tls/<signer>.crt", 0o600, "assisted-service"),
    FileRow("/opt/agent/tls/<signer>.key", 0o600, "assisted-service"),
    FileRow("/opt/agent/tls/kubeadmin-password.hash", 0o600, "assisted-service"),
    FileRow("/root/.docker/config.json", 0o600, "podman"),
    FileRow("/root/assisted.te", 0o600, "selinux"),
    FileRow("/usr/local/bin/add-node.sh", 0o555, "agent-add-node", "4.16 and later"),
    FileRow("/usr/local/bin/agent-auth-token-status.sh", 0o555, "agent-auth-token-status", "4.17 and later"),
    FileRow("/usr/local/bin/agent-config-image-wait.sh", 0o555, "agent-check-config-image"),
    FileRow("/usr/local/bin/agent-extract-tui.sh", 0o555, "agent-extract-tui", "4.20 and later"),
    FileRow("/usr/local/bin/agent-gather", 0o555, "a user who collects logs after a failure"),
    FileRow("/usr/local/bin/bootstrap-service-record.sh", 0o555, "release-image-download.sh"),
    FileRow("/usr/local/bin/common.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/configure-assisted-hw-requirements.sh", 0o555, "assisted-service", "4.21 and later"),
    FileRow("/usr/local/bin/extract-agent.sh", 0o555, "agent"),
    FileRow("/usr/local/bin/get-container-images.sh", 0o555, "assisted-service-pod, agent-extract-tui"),
    FileRow("/usr/local/bin/install-status.sh", 0o555, "install-status"),
    FileRow("/usr/local/bin/issue_status.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/load-config-iso.sh", 0o555, "load-config-iso@"),
    FileRow("/usr/local/bin/oci-eval-user-data.sh", 0o555, "oci-eval-user-data", "4.18 and later"),
    FileRow("/usr/local/bin/pre-network-manager-config.sh", 0o755, "pre-network-manager-config", _STATIC),
    FileRow("/usr/local/bin/release-image-download.sh", 0o555, "agent, assisted-service-pod, node-zero"),
    FileRow("/usr/local/bin/release-image.sh", 0o555, "the other scripts"),
    FileRow("/usr/local/bin/set-hostname.sh", 0o555, "set-hostname"),
    FileRow("/usr/local/bin/set-node-zero.sh", 0o555, "node-zero"),
    FileRow("/usr/local/bin/start-agent.sh", 0o555, "agent"),
    FileRow("/usr/local/bin/start-cluster-installation.sh", 0o555, "start-cluster-installation"),
    FileRow("/usr/local/bin/wait-for-assisted-service.sh", 0o555, "every unit that calls the service"),
    FileRow("/usr/local/share/assisted-service/assisted-db.env", 0o600, "assisted-service-db"),
    FileRow("/usr/local/share/assisted-service/assisted-service.env", 0o600, _SERVICE_USERS),
    FileRow("/usr/local/share/assisted-service/images.env", 0o600, "assisted-service"),
    FileRow("/usr/local/share/start-cluster/start-cluster.env", 0o600, "start-cluster-installation, agent-add-node"),
)

DIRECTORIES = (
    FileRow("/etc/assisted/clusterconfig", 0o644, "agent-import-cluster", _ADD_NODES),
    FileRow("/etc/assisted/extra-manifests", 0o644, "agent-register-cluster"),
)

UNITS = (
    UnitRow(
        "agent-add-node.service",
        _NODE0,
        "installs this node once the service finds it fit",
        f"enabled where {_ADD_NODES}; 4.16 and later",
    ),
    UnitRow(
        "agent-auth-token-status.service",
        _EVERY,
        "says when the tokens have expired",
        f"enabled where {_ADD_NODES}; 4.17 and later",
    ),
    UnitRow(
        "agent-check-config-image.service",
        _EVERY,
        "asks for the medium with the configuration",
        "never enabled: this image is configured",
    ),
    UnitRow(
        "agent-extract-tui.service",
        _EVERY,
        "fetches agent-tui; its conditions skip it outside the interactive workflow",
        "4.20 and later; enabled from 4.21 on",
    ),
    UnitRow(
        "agent-import-cluster.service",
        _NODE0,
        ("makes the running cluster known to the service, where nodes are added"),
        "4.16 and later",
    ),
    UnitRow(
        "agent-interactive-console-serial@.service",
        _EVERY,
        ("asks for network settings on a serial line; skipped without agent-tui"),
        "4.15 and later",
    ),
    UnitRow(
        "agent-interactive-console.service",
        _EVERY,
        ("asks for network settings on the screen; skipped without agent-tui"),
    ),
    UnitRow(
        "agent-register-cluster.service",
        _NODE0,
        "registers the cluster from the manifests, where one is installed",
        "4.15 and later",
    ),
    UnitRow("agent-register-infraenv.service", _NODE0, "registers the infra-env", "4.15 and later"),
    UnitRow(
        "agent-start-ui.service", _NODE0, "the web interface of the interactive workflow", "4.19 and 4.20, not enabled"
    ),
    UnitRow(
        "agent-ui.service",
        _NODE0,
        "the web interface; its condition skips it outside the interactive workflow",
        "4.21 and later",
    ),
    UnitRow("agent.service", _EVERY, "fetches the agent out of the release and runs it"),
    UnitRow(
        "apply-host-config.service",
        _NODE0,
        "sets role, installation disk and fencing of every configured host",
        "not enabled: required by others",
    ),
    UnitRow("assisted-service-db.service", _NODE0, "the service's database"),
    UnitRow("assisted-service-pod.service", _NODE0, "finds the release's images, makes the pod of the two services"),
    UnitRow("assisted-service.service", _NODE0, "the assisted service, port 8090"),
    UnitRow("create-cluster-and-infraenv.service", _NODE0, "registers the cluster and the infra-env", "4.14"),
    UnitRow("install-status.service", _NODE0, "shows on the console what the installation waits for, and its state"),
    UnitRow("iscsiadm.service", _EVERY, "starts iscsid for the sessions that exist", "4.19 and later"),
    UnitRow("iscsistart.service", _EVERY, "logs in to the iSCSI disks that the firmware names", "4.18 and later"),
    UnitRow("load-config-iso@.service", _EVERY, "loads the configuration on a medium", "not enabled: started by udev"),
    UnitRow("node-zero.service", _EVERY, "finds out whether this is the rendezvous host"),
    UnitRow("oci-eval-user-data.service", _EVERY, "runs the user data of Oracle Cloud", "4.18 and later"),
    UnitRow(
        "pre-network-manager-config.service",
        _EVERY,
        "gives this host's keyfiles to NetworkManager",
        f"enabled where {_STATIC}",
    ),
    UnitRow("selinux.service", _EVERY, "loads the SELinux module that lets containers ask chronyd"),
    UnitRow("set-hostname.service", _EVERY, "sets the hostname that is configured for a MAC address of this host"),
    UnitRow(
        "start-cluster-installation.service",
        _NODE0,
        ("starts the installation when exactly the required hosts are known"),
        f"enabled where {_INSTALL}",
    ),
)

OMITTED: Mapping[str, str] = {
    "multipathd.service": (
        "upstream enables it without shipping it, which has no effect; the operating system enables its own"
    ),
}

# What is deliberately different from upstream in a file or unit that both have.
DIFFERENCES = (
    (
        "Scripts, units, the login message and comments are written for this collection. They have the same "
        "behaviour as upstream's files."
    ),
    "The units that register the cluster and the infra-env repeat a failed call every 30 seconds and do not fail. "
    "If they failed, systemd would not start the units that require them. "
    "All of them wait for the service first.",
    (
        "Mirrors also apply to a release image whose registry has a port. If the release image is named by tag, the "
        "hosts also pull it directly from the mirror's repository, because registries.conf applies to digests only."
    ),
    (
        "A fencing credential that names only a MAC address is in the directory of the host with that MAC address. "
        "Upstream does the same since July 2026."
    ),
    "The start script sets every configured role before it starts the installation. Upstream's client does not set a "
    "role if the service already suggests the same one. If that suggestion changes later, a worker and a "
    "control-plane host can exchange their roles.",
    "The units of the service's containers have the same condition as the pod's unit: `/etc/assisted/node0`. "
    "In 4.14, agent-interactive-console.service already has the conditions and the boot order that upstream "
    "introduced in 4.15.",
    "common.sh and chrony.conf are in images of every release; upstream has them from 4.17 and 4.18 on.",
    (
        "If the running cluster has no ignition endpoint or no proxy, an image that adds nodes omits these fields; "
        "upstream writes `null` and empty objects."
    ),
    "pre-network-manager-config.sh replaces all NIC names in one step. Upstream replaces one name after the other: "
    "if a configured name is the kernel name of another NIC, the wrong NIC gets the configuration. In all other "
    "cases both create the same connections (compared on 300 random machines).",
    (
        "Integers in extra manifests stay integers. Upstream writes integers of a million and more with an exponent, "
        "and a field of type integer refuses that."
    ),
    "agent-config.yaml in the image has no BMC data of the hosts.",
    (
        "agent-tui itself is not in the image: it comes from the release payload, through `oc`. The units that start "
        "it "
        "are skipped without it."
    ),
)


_NODES = """\
The module `node_image` makes it from `nodes-config.yaml`, the file that `oc adm node-image create` reads, and from its options (facts of the
cluster). The module does not connect to the cluster, so you need no access to it. If you have access, read the facts with `kubernetes.core.k8s_info`:

```yaml
- zerotouch.openshift.node_image:
    config_dir: clusters/kni22/nodes          # nodes-config.yaml
    work_dir: clusters/kni22
    base_image: {path: /srv/images/rhcos-live-iso.x86_64.iso}
    running_cluster:
      id: "{{ version.resources[0].spec.clusterID }}"
      version: "{{ version.resources[0].status.history[0].version }}"
      release_image: "{{ version.resources[0].status.history[0].image }}"
      api_dns_name: "{{ infrastructure.resources[0].status.apiServerURL | ansible.builtin.urlsplit('hostname') }}"
      platform: "{{ infrastructure.resources[0].spec.platformSpec.type | lower }}"
      pull_secret: "{{ secret.resources[0].data['.dockerconfigjson'] | b64decode }}"
```

Each machine that boots the image is its own rendezvous host (127.0.0.1). On it, `agent-import-cluster` registers the cluster with the local service,
`apply-host-config` sets role and disk, and `agent-add-node` starts the installation when the host is `known`. Then approve its two certificate
signing requests with `node_csrs`. The tokens in the image expire after 48 hours (`expires_at`); `agent-auth-token-status` shows this on the console.
A rerun within the first 24 hours keeps the tokens.
"""  # noqa: E501


def row_of(path: str) -> FileRow | None:
    """The row of a file of the live system, exact paths first; None for a file that the table does not know."""
    return min((row for row in FILES if row.matches(path)), key=lambda row: row.path.count("<"), default=None)


def markdown() -> str:
    """The page docs/reference/ignition-files.md."""
    parts = [
        "# Files and units of an agent image\n\nAfter reading this page you can look up why a file or unit is in an "
        "agent image, and which program reads it.\n",
        (
            "<!-- Generated from plugins/module_utils/ignition/table.py: PYTHONPATH=.build python "
            "tests/generate_docs.py "
            "-->\n"
        ),
        "An agent image that this collection builds is an unmodified CoreOS live image with one Ignition config (spec "
        "3.2.0) in its embed area. These are the\n"
        "config's files and units for installing a cluster, or adding nodes to one, of release 4.14 to 5.0. All files "
        "belong to root and replace what was\n"
        "there, unless noted. Modes are those of 4.22.\n",
        "## Files\n",
        _table(
            ("path", "mode", "when", "read by"),
            ((f"`{row.path}`", row.mode_text, row.when, row.reader) for row in FILES),
        ),
        (
            "Signers: `kube-apiserver-lb-signer`, `kube-apiserver-localhost-signer`, "
            "`kube-apiserver-service-network-signer`, `admin-kubeconfig-signer`.\n"
        ),
        "Directories:\n",
        _table(
            ("path", "mode", "when", "read by"),
            ((f"`{row.path}`", row.mode_text, row.when, row.reader) for row in DIRECTORIES),
        ),
        "User `core` gets the cluster's SSH keys and, for the console, the kubeadmin password.\n",
        "## Units\n",
        _table(
            ("unit", "runs on", "when", "does"), ((f"`{row.name}`", row.runs_on, row.when, row.does) for row in UNITS)
        ),
        "## An image that adds nodes\n",
        _NODES,
        "## Not in the image\n",
        _table(("file or unit", "why not here"), ((f"`{name}`", reason) for name, reason in OMITTED.items())),
        "## Different from upstream\n",
        "".join(f"* {difference}\n" for difference in DIFFERENCES),
    ]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
