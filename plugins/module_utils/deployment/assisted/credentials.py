# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fetch the credentials of a cluster that an assisted-service installs into auth/: the kubeconfig as soon as the
service has one, the password after the installation.
"""

from __future__ import annotations

from ...assisted.rest.client import Document
from ...assisted.rest.service import AssistedService
from ...common.errors import RemoteError
from ...common.files import SECRET_FILE, ensure_directory, write_atomic
from ...hub.credentials import HubCredentials
from ..state.work_dir import WorkDir
from .find import Known, remember

# States of a cluster in which the service returns the installer's kubeconfig, and states in which it returns the
# password.
# Source: openshift/assisted-service internal/bminventory/inventory.go, internal/cluster/cluster.go.
_WITH_KUBECONFIG = frozenset(
    {"installing", "finalizing", "installing-pending-user-action", "installed", "adding-hosts"}
)
_INSTALLED = frozenset({"installed", "adding-hosts"})


def plan_credentials(service: AssistedService, work_dir: WorkDir, cluster: Document) -> HubCredentials:
    """Files that are missing, or are those of an earlier cluster.

    What is there stays: by now it may hold more than the service's (the CA of the ingress).
    """
    status, cluster_id = str(cluster.get("status") or ""), str(cluster.get("id") or "")
    stale = Known.of(work_dir).credentials_of != cluster_id
    wanted = [
        (work_dir.kubeconfig, "kubeconfig-noingress", _WITH_KUBECONFIG),
        (work_dir.kubeadmin_password, "kubeadmin-password", _INSTALLED),
    ]
    files: dict[str, str] = {}
    missing: list[str] = []
    for path, name, states in wanted:
        if path.is_file() and not stale:
            continue
        text = _fetched(service, cluster_id, name) if status in states else ""
        if text:
            files[str(path)] = text
        else:
            missing.append(path.name)
    return HubCredentials(files, tuple(missing))


def write_credentials(credentials: HubCredentials, work_dir: WorkDir, cluster: Document) -> None:
    """Write what :func:`plan_credentials` planned. Files of another cluster are deleted first."""
    cluster_id = str(cluster.get("id") or "")
    if credentials.files and Known.of(work_dir).credentials_of != cluster_id:
        for path in work_dir.credentials:
            path.unlink(missing_ok=True)
    for name, text in credentials.files.items():
        path = work_dir.root / "auth" / name.rpartition("/")[2]
        ensure_directory(path.parent)
        write_atomic(path, text, SECRET_FILE)
    if credentials.files:
        remember(work_dir, credentials_of=cluster_id)


def _fetched(service: AssistedService, cluster_id: str, name: str) -> str:
    """Empty as long as the service does not have the file."""
    try:
        return service.credential_file(cluster_id, name).decode("utf-8", errors="replace")
    except RemoteError as error:
        if error.status in (400, 404, 409):
            return ""
        raise
