# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the scripts and systemd units that OpenShift Assisted's bootstrap provider puts on a host.

They behave as upstream's scripts do, but the text was written for the lab. The lab's machines interpret this text
(:mod:`ztlab.machine.config_drive`): a step that is not in it has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence

METADATA_UNIT, HOSTNAME_UNIT = "configdrive-metadata.service", "set-hostname.service"
LABELS_UNIT, PROVIDER_UNIT = "kubelet-customlabels.service", "capoa-inject-provider-id.service"


def _service(description: str, program: str, ordering: Sequence[str], options: Sequence[str] = ()) -> str:
    service = ["[Service]", "Type=oneshot", *options, f"ExecStart={program}"]
    return "\n".join(
        [
            "[Unit]",
            f"Description={description}",
            *ordering,
            "",
            *service,
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        ]
    )


OSTREE = "ostree-finalize-staged.service"
METADATA_SERVICE = _service(
    "Metadata of the config drive", "/usr/local/bin/configdrive_metadata", [f"Before={LABELS_UNIT}", f"After={OSTREE}"]
)
LABELS_SERVICE = _service(
    "Labels of the kubelet",
    "/usr/local/bin/kubelet_custom_labels",
    ["Before=kubelet.service", f"After={OSTREE}"],
    ["EnvironmentFile=/etc/metadata_env"],
)
HOSTNAME_SERVICE = _service(
    "Host name from the metadata",
    "/bin/bash /usr/local/bin/set_hostname",
    ["Before=kubelet.service", f"After={METADATA_UNIT}", f"Wants={METADATA_UNIT}"],
    ["RemainAfterExit=true"],
)
PROVIDER_SERVICE = _service(
    "Provider id of the kubelet",
    "/usr/local/bin/inject-provider-id",
    ["Before=kubelet.service", f"After={LABELS_UNIT}", f"Wants={LABELS_UNIT}"],
    ["RemainAfterExit=true"],
)

METADATA = r"""#!/bin/bash
set -euo pipefail
drive=$(mktemp -d)
mount -o ro /dev/disk/by-label/config-2 "$drive"
jq -r 'to_entries[] | "METADATA_\(.key | ascii_upcase | gsub("-"; "_"))=\(.value)"' "$drive/openstack/latest/meta_data.json" | sort -u >/etc/metadata_env
umount "$drive"
"""  # noqa: E501

PROVIDER = r"""#!/bin/bash
set -euo pipefail
[ -s /run/kubelet-provider-id ] || exit 0
set -a; . /etc/metadata_env; set +a
id=$(envsubst </run/kubelet-provider-id)
line=$(systemctl cat kubelet.service | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | grep '^ExecStart=' | tail -n 1 || true)
[ -n "$line" ] || exit 1
case "$line" in *--provider-id*) exit 0 ;; esac
mkdir -p /etc/systemd/system/kubelet.service.d
printf '[Service]\nExecStart=\n%s --provider-id="%s"\n' "$line" "$id" >/etc/systemd/system/kubelet.service.d/20-provider-id.conf
systemctl daemon-reload
"""  # noqa: E501


def set_hostname(variable: str) -> str:
    """Names the host as a variable of the metadata says; an empty one changes nothing."""
    return "\n".join(
        [
            "#!/bin/bash",
            "set -euo pipefail",
            f"name=$(sed -n 's/^{variable}=//p' /etc/metadata_env)",
            '[ -z "$name" ] || hostnamectl set-hostname "$name"',
            "",
        ]
    )


def kubelet_labels(pairs: Sequence[tuple[str, str]], provider: str, variables: Sequence[str]) -> str:
    """``provider``: a word of the shell, "" for none."""
    lines = ["#!/bin/bash", "set -euo pipefail"]
    lines += [f"{name}=$(sed -n 's/^{name}=//p' /etc/metadata_env)" for name in variables]
    if pairs:
        text = ",".join(f"{key}={value}" for key, value in pairs)
        lines.append(f'echo "CUSTOM_KUBELET_LABELS={text}" >>/etc/kubernetes/kubelet-env')
    if provider:
        lines += [
            f"id={provider}",
            'echo "KUBELET_PROVIDERID=$id" >>/etc/kubernetes/kubelet-env',
            'echo "$id" >/run/kubelet-provider-id',
        ]
    return "\n".join([*lines, ""])


def commands(listed: Sequence[str], directory: str, sentinel: str, kubeconfig: str) -> str:
    """``kubeconfig``: wait first until the Node is there, "" for commands that run before the kubelet."""
    lines = ["#!/bin/bash", "set -euo pipefail"]
    if kubeconfig:
        lines += [
            "left=60",
            (
                f"until kubectl --kubeconfig={kubeconfig} get --raw /readyz && kubectl --kubeconfig={kubeconfig} get "
                "node "
                '"$(hostname)"; do'
            ),
            '  left=$((left - 1)); [ "$left" -gt 0 ] || exit 1; sleep 10',
            "done",
        ]
    return "\n".join([*lines, *listed, f"mkdir -p {directory}", f"touch {sentinel}", ""])


def commands_service(phase: str, sentinel: str) -> str:
    """The unit of ``pre`` or ``post`` commands."""
    before = ["network.target", OSTREE, METADATA_UNIT, LABELS_UNIT, HOSTNAME_UNIT]
    ordering = (
        [f"After={' '.join(before)}", "Before=kubelet.service"]
        if phase == "pre"
        else ["Requires=kubelet.service", "After=kubelet.service"]
    )
    return _service(
        f"Commands {phase} bootstrap",
        f"/usr/local/bin/capoa-{phase}-bootstrap.sh",
        [*ordering, f"ConditionPathExists=!{sentinel}"],
    )
