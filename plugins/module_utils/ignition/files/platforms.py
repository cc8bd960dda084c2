# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that the live system needs for iSCSI disks and on Oracle Cloud.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import IgnitionFile, Unit
from .placing import script

_OCI = r"""#!/bin/bash
# On a machine of Oracle Cloud run the script that its owner gave it as user data; elsewhere do nothing.
set -euo pipefail

metadata=http://169.254.169.254/opc/v2/instance/metadata
options=(--silent --show-error --location --max-time 30 --retry 5 --retry-delay 30 --retry-connrefused)

# These architectures have no dmidecode, and that cloud has none of them.
case $(uname -m) in
    ppc64le | s390x) exit 0 ;;
esac
if [[ $(dmidecode --string chassis-asset-tag) != OracleCloud.com ]]; then
    printf 'This is no machine of Oracle Cloud.\n'
    exit 0
fi

user_data=$(curl "${options[@]}" --header 'Authorization: Bearer Oracle' "$metadata/user_data")
if [[ -z $user_data || $user_data == *"404 Not Found"* ]]; then
    printf 'This machine was given no user data.\n'
    exit 0
fi
script=$(base64 --decode <<<"$user_data")
bash -c "$script"
"""

_OCI_UNIT = """\
[Unit]
Description=User data of Oracle Cloud
After=NetworkManager.service

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=ASSISTED_INSTALLER_DISCOVERY_ENV=1
Restart=on-failure
RestartSec=30
ExecStart=/usr/local/bin/oci-eval-user-data.sh

[Install]
WantedBy=multi-user.target
"""

# A failure of these (no firmware table, nothing to log in to) is the ordinary case.
_ISCSI_START = """\
[Unit]
Description=Log in to the iSCSI disks that the firmware names

[Service]
Type=oneshot
ExecStartPre=-/usr/sbin/modprobe iscsi_ibft
ExecStartPre=-/usr/sbin/iscsistart -f
ExecStart=-/usr/sbin/iscsistart -b

[Install]
WantedBy=multi-user.target
"""

_ISCSI_SESSIONS = """\
[Unit]
Description=Start iscsid for the sessions that exist
After=iscsistart.service

[Service]
Type=oneshot
ExecStart=-/usr/sbin/iscsiadm -m session -P3

[Install]
WantedBy=multi-user.target
"""


def platform_files(profile: ReleaseProfile) -> list[IgnitionFile]:
    return [script("oci-eval-user-data.sh", _OCI)] if profile.iscsi else []


def platform_units(profile: ReleaseProfile) -> list[Unit]:
    units = (
        [Unit("iscsistart.service", _ISCSI_START), Unit("oci-eval-user-data.service", _OCI_UNIT)]
        if profile.iscsi
        else []
    )
    return [*units, Unit("iscsiadm.service", _ISCSI_SESSIONS)] if profile.iscsi_sessions else units
