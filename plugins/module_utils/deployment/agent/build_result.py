# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the plan and the outcome of a build to the result of module ``agent_image``."""

from __future__ import annotations

from typing import Any

from ..state.work_dir import WorkDir
from .build import BuildPlan
from .config_medium import is_configuration
from .product import Made, files_of


def describe(plan: BuildPlan, made: Made | None = None) -> dict[str, Any]:
    """The module's result. Digests and sizes are those of the files that were ``made``, otherwise those known before
    the build.
    """
    work_dir = WorkDir(plan.request.work_dir)
    files = plan.ignition.table() if plan.ignition else []
    return {
        "changed": plan.changed,
        "path": str(plan.image_path),
        **files_of(plan.product, made, plan.base.size),
        "engine": "native",
        "kind": plan.kind,
        "arch": "noarch" if plan.kind == "config_iso" else plan.names.arch,
        "rendezvous_ip": plan.deployment.rendezvous_ip if plan.deployment else "",
        "state_file": str(work_dir.state.path),
        "kubeconfig": str(work_dir.kubeconfig),
        "kubeadmin_password_file": str(work_dir.kubeadmin_password),
        "ignition_files": [file for file in files if plan.kind != "config_iso" or is_configuration(file["path"])],
        "reason": plan.reason,
        "plan": list(plan.steps),
    }
