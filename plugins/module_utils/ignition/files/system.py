# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units with general settings of the live system, such as DHCPv6 client id and multipath.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

from ..document import PRIVATE, PUBLIC, IgnitionFile, Unit

# The same DHCPv6 client id in the live system and after the installation: it comes from the MAC address, so
# reservations by it hold.
_CLIENT_ID = """\
[connection]
ipv6.dhcp-duid=ll
ipv6.dhcp-iaid=mac
"""

# multipathd starts where this file exists; disks with a single path, and those that other drivers manage (NVMe), are
# left alone.
_MULTIPATH = """\
defaults {
    user_friendly_names yes
    find_multipaths yes
    enable_foreign "^$"
}
blacklist_exceptions {
    property "(SCSI_IDENT_|ID_WWN)"
}
blacklist {
}
"""

# Pods start without an image for their infra container, which a disconnected site would not have.
_CONTAINERS = """\
[engine]
infra_image = ""
"""

_MOTD = """\
This host runs the OpenShift agent-based installer from memory. It reboots into the installed system when its part is done.

  journalctl -u agent                                 what this host does
  journalctl -u assisted-service -u apply-host-config what the rendezvous host waits for
  agent-gather                                        collect everything for support

"""  # noqa: E501

_SELINUX_MODULE = """\
module assisted 1.0;

# Containers of the agent ask chronyd of the host about its time sources, through its socket.
require {
    type chronyd_t;
    type container_file_t;
    type spc_t;
    class dir search;
    class sock_file write;
    class unix_dgram_socket sendto;
}

allow chronyd_t container_file_t:dir search;
allow chronyd_t container_file_t:sock_file write;
allow chronyd_t spc_t:unix_dgram_socket sendto;
"""

_SELINUX_UNIT = """\
[Unit]
Description=SELinux module of the agent installer
After=local-fs.target
Before=agent.service assisted-service-pod.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/checkmodule -M -m -o /root/assisted.mod /root/assisted.te
ExecStart=/usr/bin/semodule_package -o /root/assisted.pp -m /root/assisted.mod
ExecStart=/usr/sbin/semodule -i /root/assisted.pp

[Install]
WantedBy=multi-user.target
"""


def system_files(title: str) -> list[IgnitionFile]:
    """``title`` names the cluster on the console."""
    # \S is the operating system's name, filled in by agetty.
    issue = f"\\S\nOpenShift Agent Installer image for {title}\n"
    return [
        IgnitionFile("/etc/NetworkManager/conf.d/clientid.conf", PRIVATE, _CLIENT_ID.encode()),
        IgnitionFile("/etc/multipath.conf", PRIVATE, _MULTIPATH.encode()),
        IgnitionFile("/etc/containers/containers.conf", PUBLIC, _CONTAINERS.encode(), append=True),
        IgnitionFile("/etc/issue", PRIVATE, issue.encode()),
        IgnitionFile("/etc/motd.d/10-agent-installer", PRIVATE, _MOTD.encode()),
        IgnitionFile("/root/assisted.te", PRIVATE, _SELINUX_MODULE.encode()),
    ]


def system_units() -> list[Unit]:
    return [Unit("selinux.service", _SELINUX_UNIT)]
