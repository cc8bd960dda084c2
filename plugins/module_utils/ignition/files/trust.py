# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition files that define which servers the live system trusts and which images it can pull.

They contain image mirrors, CA certificates, time servers, the pull secret, and keys and certificates of the signers.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

from ...cluster.profile import profile_of
from ...cluster.spec import Cluster
from ...manifests.cluster_manifests import ManifestSet
from ...manifests.go_json import pretty_json
from ...manifests.names import CA_BUNDLE, REGISTRIES_CONF
from ...manifests.objects import ntp_sources
from ..document import PRIVATE, PUBLIC, IgnitionFile
from ..secrets import SIGNERS, BuildSecrets

CA_FILE = "/etc/pki/ca-trust/source/anchors/domain.crt"
TLS = "/opt/agent/tls"
CHRONY_CONF = "/etc/chrony.conf"


def trust_files(cluster: Cluster, manifests: ManifestSet, secrets: BuildSecrets) -> list[IgnitionFile]:
    files = [
        IgnitionFile(
            "/etc/containers/registries.conf",
            profile_of(cluster.version).registries_conf_mode,
            manifests.files[REGISTRIES_CONF].encode(),
        ),
        IgnitionFile("/root/.docker/config.json", PRIVATE, pretty_json(cluster.pull_secret).encode()),
        IgnitionFile(f"{TLS}/kubeadmin-password.hash", PRIVATE, secrets.kubeadmin_hash.encode()),
    ]
    for name in SIGNERS:
        pair = secrets.signers[name]
        files += [
            IgnitionFile(f"{TLS}/{name}.key", PRIVATE, pair.key.encode()),
            IgnitionFile(f"{TLS}/{name}.crt", PRIVATE, pair.crt.encode()),
        ]
    if manifests.files[CA_BUNDLE]:
        files.append(IgnitionFile(CA_FILE, PRIVATE, manifests.files[CA_BUNDLE].encode()))
    if sources := ntp_sources(cluster):
        files.append(IgnitionFile(CHRONY_CONF, PUBLIC, chrony_conf(sources).encode()))
    return files


def chrony_conf(sources: tuple[str, ...]) -> str:
    servers = [f"server {source} iburst" for source in sources]
    return "\n".join([*servers, "makestep 1.0 3", "rtcsync", "logdir /var/log/chrony", ""])
