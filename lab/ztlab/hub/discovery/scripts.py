# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the scripts and systemd units of a discovery image. Their text was written for the lab.

The lab's live system simulates their effect on a machine.
"""

from __future__ import annotations

FIX_IMAGE_STORE = """#!/usr/bin/bash
# An image that was pulled only in part is removed, so that the next pull is complete.
image="$1"
podman ps | grep --quiet "$image" && exit 0
podman image exists "$image" || exit 0
podman image inspect "$image" > /dev/null || podman rmi --force "$image"
"""

PULL_IMAGE = """#!/usr/bin/bash
image="$1"
podman image exists "$image" && exit 0
podman pull "$image"
"""

COMMON_NETWORK = """#!/usr/bin/bash
# Fills mac_to_name with the machine's NICs once their list did not change for three seconds, thirty seconds at most.
declare -A mac_to_name
list_nics() { for path in /sys/class/net/*; do printf '%s=%s\\n' "$(cat "$path/address")" "${path##*/}"; done | sort; }
wait_for_nics() {
  sleep "${DISCOVERY_DELAY_SECONDS:-0}"
  local before="" now="" same=0 end=$((SECONDS + 30))
  while [ "$same" -lt 3 ] && [ "$SECONDS" -lt "$end" ]; do
    now="$(list_nics)"
    if [ "$now" = "$before" ]; then same=$((same + 1)); else same=0; fi
    before="$now"
    sleep 1
  done
  while IFS='=' read -r mac name; do mac_to_name["${mac^^}"]="$name"; done <<< "$before"
}
apply_host() {
  local source="$1" target="$2" line mac logical
  while IFS='=' read -r mac logical || [ -n "$mac" ]; do
    [ -n "${mac_to_name[${mac^^}]}" ] && line=yes
  done < "$source/mac_interface.ini"
  [ -n "$line" ] || return 1
  mkdir -p "$target"
  cp "$source"/*.nmconnection "$target" 2> /dev/null || cp "$source"/ymlFile*.yml /etc/nmstate/
}
"""

_NETWORK = """#!/usr/bin/bash
. /usr/local/bin/common_network_script.sh
target=@TARGET@
wait_for_nics
for host in /etc/assisted/network/host*; do apply_host "$host" "$target"; done
"""
HOST_NETWORK = _NETWORK.replace("@TARGET@", "/etc/NetworkManager/system-connections")
INITRD_NETWORK = _NETWORK.replace("@TARGET@", "/etc/coreos-firstboot-network")

ADD_NTP = """#!/usr/bin/bash
# Appends the sources in ADDITIONAL_NTP_SOURCES; with NTP_SOURCES the file is replaced and keeps the directory of DHCP's sources only.
if [ -n "$NTP_SOURCES" ]; then
  printf 'sourcedir /run/chrony-dhcp\\ndriftfile /var/lib/chrony/drift\\nmakestep 1.0 3\\nrtcsync\\n' > /etc/chrony.conf
fi
for source in ${NTP_SOURCES//,/ } ${ADDITIONAL_NTP_SOURCES//,/ }; do
  printf 'server %s iburst\\n' "$source" >> /etc/chrony.conf
done
systemctl restart chronyd
"""  # noqa: E501

OCI_USER_DATA = """#!/usr/bin/bash
curl --silent --fail --header 'Authorization: Bearer Oracle' http://169.254.169.254/opc/v2/instance/metadata/user_data > /dev/null || exit 0
"""  # noqa: E501

MOTD = """
This is a host of the lab that is being installed. It will be known to its hub when the agent has registered it.
See its journal: journalctl --unit agent.service
"""
MULTIPATH = """defaults {
    user_friendly_names yes
    find_multipaths yes
    enable_foreign "^$"
}
"""
IPV6 = """[connection]
ipv6.dhcp-iaid=mac
ipv6.dhcp-duid=ll
"""
SELINUX = """
module assisted 1.0;
require { type chronyd_t; type container_file_t; class dir search; }
allow chronyd_t container_file_t:dir search;
"""

SELINUX_UNIT = """[Service]
Type=oneshot
ExecStartPre=checkmodule -M -m -o /root/assisted.mod /root/assisted.te
ExecStartPre=semodule_package -o /root/assisted.pp -m /root/assisted.mod
ExecStart=semodule -i /root/assisted.pp

[Install]
WantedBy=multi-user.target
"""
ISCSI_UNIT = """[Unit]
Description=Start iSCSI connections of the firmware
After=network-online.target

[Service]
Type=oneshot
ExecStart=-/usr/sbin/iscsistart -f

[Install]
WantedBy=multi-user.target
"""
OCI_UNIT = """[Unit]
Description=User data of Oracle's cloud
ConditionKernelCommandLine=|ignition.platform.id=oraclecloud

[Service]
Type=oneshot
ExecStart=/usr/local/bin/oci-eval-user-data.sh

[Install]
WantedBy=multi-user.target
"""


def network_unit(delay_seconds: int, *, in_initrd: bool = False) -> str:
    """pre-network-manager-config.service, before NetworkManager of the initrd or of the real root."""
    before = "nm-initrd.service" if in_initrd else "NetworkManager.service"
    wanted = "initrd.target" if in_initrd else "multi-user.target"
    limit = 60 + delay_seconds
    return (
        "[Unit]\nDescription=Network configuration of this host\nDefaultDependencies=no\nAfter=dbus.service\n"
        f"Before={before}\n\n"
        f"[Service]\nUser=root\nType=oneshot\nTimeoutSec={limit}\n"
        f"Environment=DISCOVERY_DELAY_SECONDS={delay_seconds}\n"
        "ExecStart=/usr/local/bin/pre-network-manager-config.sh\nPrivateTmp=true\nRemainAfterExit=no\n\n[Install]\n"
        f"WantedBy={wanted}\n"
    )


def ntp_unit(additional: str, only: str) -> str:
    """add-ntp-sources.service."""
    return (
        "[Unit]\nDescription=Time sources of this host\n\n[Service]\nUser=root\nType=oneshot\n"
        f"Environment=ADDITIONAL_NTP_SOURCES={additional}\nEnvironment=NTP_SOURCES={only}\nTimeoutSec=60\n"
        "ExecStart=/usr/local/bin/add-ntp-sources.sh\n\n[Install]\nWantedBy=multi-user.target\n"
    )
