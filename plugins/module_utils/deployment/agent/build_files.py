# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the small files that module ``agent_image`` writes besides the image: credentials and the address of the
rendezvous host.
"""

from __future__ import annotations

import base64
import dataclasses
from pathlib import Path

from ...cluster.spec import Cluster, Deployment
from ...common.files import SECRET_FILE, same_file
from ...ignition.secrets import BuildSecrets, admin_kubeconfig
from ..state.work_dir import WorkDir


@dataclasses.dataclass(frozen=True)
class TextFile:
    """A small file of the work directory (0600)."""

    path: Path
    text: str = dataclasses.field(repr=False)
    reason: str = ""


def small_files(dest: Path, deployment: Deployment, secrets: BuildSecrets, *, replace: bool) -> tuple[TextFile, ...]:
    """The small files that are missing, or differ from their desired content."""
    work_dir = WorkDir(dest)
    kubeconfig = TextFile(work_dir.kubeconfig, admin_kubeconfig(secrets, deployment.cluster))
    wanted = [TextFile(dest / "rendezvousIP", deployment.rendezvous_ip)]
    if secrets.kubeadmin_password:  # a recovered state may hold only its hash
        wanted.insert(0, TextFile(work_dir.kubeadmin_password, secrets.kubeadmin_password))
    if not _is_kubeconfig_of(kubeconfig.path, secrets, deployment.cluster):
        wanted.insert(0, kubeconfig)
    return tuple(
        dataclasses.replace(file, reason="it changed" if file.path.exists() and not replace else "it is not there yet")
        for file in wanted
        if not same_file(file.path, file.text, SECRET_FILE)
    )


def _is_kubeconfig_of(path: Path, secrets: BuildSecrets, cluster: Cluster) -> bool:
    """Whether the file is this cluster's with this certificate; then it may hold more than we wrote, such as the CA of
    the ingress.
    """
    try:
        text = path.read_text()
    except (OSError, ValueError):
        return False
    return (
        base64.b64encode(secrets.admin_kubeconfig.crt.encode()).decode() in text
        and cluster.api_url in text
        and path.stat().st_mode & 0o777 == SECRET_FILE
    )
