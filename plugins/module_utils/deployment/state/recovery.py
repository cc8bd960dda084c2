# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Recover deleted files and secrets of a work directory from the copies in state.json, auth/ and the image.

The image contains tokens and signers, auth/kubeconfig the administrator's certificate, auth/kubeadmin-password the
password, and state.json all of them. No secret is generated here: what cannot be recovered is reported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...cluster.spec import Deployment
from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE, write_atomic
from ...ignition.embedded import embedded_secrets
from ...ignition.secrets import KeyPair, admin_kubeconfig, complete_section, from_state, issued_by, renew_admin
from ...image.live import read_live_image
from ...kube.config import KubeConfig, read_kubeconfig
from .work_dir import DeploymentIdentity, WorkDir, cluster_section, identity


@dataclasses.dataclass(frozen=True)
class Recovered:
    """``state`` is the document to go on with: the file's, and what was found elsewhere (``regained``, by section).

    ``lost`` are the sections that the file must have had and has not; ``files`` those of auth/ that are missing and can
    be written again. ``notes`` say all of it.
    """

    state: dict[str, Any]
    regained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    files: tuple[tuple[Path, str], ...] = dataclasses.field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        return bool(self.regained or self.files)


def recover(work_dir: WorkDir, deployment: Deployment | None) -> Recovered:
    """Look for what is missing; nothing is written.

    Raises :class:`ZeroTouchError` for a state file that cannot be read.
    """
    state = work_dir.state.read()
    image = _image(work_dir)
    lost = _lost(state, image)
    found: dict[str, Any] = {}
    if image is not None and not complete_section(state.get("secrets") or {}):
        secrets = _secrets(work_dir, image, state.get("secrets") or {})
        found |= {"secrets": secrets} if secrets else {}
    if not state.get("cluster") and deployment is not None and (image is not None or work_dir.kubeconfig.exists()):
        found["cluster"] = cluster_section(deployment)
    merged = {**state, **found}
    files = _missing_files(work_dir, merged, identity(merged, deployment))
    return Recovered(merged, tuple(sorted(found)), lost, files, tuple(_notes(work_dir, state, found, lost, files)))


def restore(work_dir: WorkDir, recovered: Recovered) -> None:
    """Write what was found. The caller holds the lock of the work directory."""
    if recovered.regained:
        with work_dir.state.edit() as document:
            document.update({name: recovered.state[name] for name in recovered.regained})
    for path, text in recovered.files:
        write_atomic(path, text, SECRET_FILE)


def kubeconfig_of(secrets: Mapping[str, Any], api_url: str) -> KubeConfig | None:
    """What auth/kubeconfig would say; None where the secrets lack a part of it."""
    authorities = "".join(pair.get("crt") or "" for name, pair in sorted((secrets.get("signers") or {}).items()))
    admin = secrets.get("admin_kubeconfig") or {}
    if not (authorities and admin.get("crt") and admin.get("key") and api_url):
        return None
    return KubeConfig(api_url, ca=authorities, client_cert=admin["crt"], client_key=admin["key"])


def readable_kubeconfig(path: Path) -> KubeConfig | None:
    """The kubeconfig, or None when it is gone or no kubeconfig any more."""
    try:
        return read_kubeconfig(path) if path.exists() else None
    except ZeroTouchError:
        return None


def _image(work_dir: WorkDir) -> Path | None:
    """What holds the configuration: an ISO, or the initrd of a network boot, in which nothing is looked for."""
    found = [*sorted(work_dir.images.glob("agent.*.iso")), *sorted(work_dir.boot_artifacts.glob("agent.*-initrd.img"))]
    return next((path for path in found if path.is_file()), None)


def _lost(state: Mapping[str, Any], image: Path | None) -> tuple[str, ...]:
    """Secrets are written before an image, ``image`` and ``install`` together when it is complete: one without the
    other was taken away.
    """
    lost = [] if state.get("secrets") or image is None else ["secrets"]
    if not (state.get("install") or {}).get("phase") and (lost or state.get("image")):
        lost.append("install")
    return tuple(lost)


def _secrets(work_dir: WorkDir, image: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    """A complete section ``secrets``, or nothing."""
    try:
        embedded = embedded_secrets(read_live_image(image).ignition or b"")
    except ZeroTouchError:
        return {}
    if not embedded or known.get("infra_env_id") not in (None, "", embedded["infra_env_id"]):
        return {}
    found = {
        "kubeadmin_password": _text(work_dir.kubeadmin_password),
        **embedded,
        **{key: value for key, value in known.items() if value},
    }
    kubeconfig = readable_kubeconfig(work_dir.kubeconfig)
    if "admin_kubeconfig" not in found and kubeconfig and issued_by(kubeconfig.client_cert, found["signers"]):
        found["admin_kubeconfig"] = {"key": kubeconfig.client_key, "crt": kubeconfig.client_cert}
    if "admin_kubeconfig" not in found:
        found["admin_kubeconfig"] = dataclasses.asdict(
            renew_admin({name: KeyPair(**pair) for name, pair in found["signers"].items()})
        )
    return found if complete_section(found) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""


def _missing_files(
    work_dir: WorkDir, state: Mapping[str, Any], who: DeploymentIdentity
) -> tuple[tuple[Path, str], ...]:
    """Those of auth/ that were there once: they are written before the image is."""
    secrets = state.get("secrets") or {}
    if not state.get("image") and not _image(work_dir):
        return ()
    files = []
    if readable_kubeconfig(work_dir.kubeconfig) is None and who.api_url and complete_section(secrets):
        known = from_state(secrets)
        files += [(work_dir.kubeconfig, admin_kubeconfig(known, who))] if known else []
    if secrets.get("kubeadmin_password") and not work_dir.kubeadmin_password.exists():
        files.append((work_dir.kubeadmin_password, str(secrets["kubeadmin_password"])))
    return tuple(files)


def _notes(
    work_dir: WorkDir,
    state: Mapping[str, Any],
    found: Mapping[str, Any],
    lost: tuple[str, ...],
    files: tuple[tuple[Path, str], ...],
) -> list[str]:
    notes = []
    if lost:
        sections = ", ".join(lost)
        text = f"has no sections {sections}" if state else "does not exist"
        notes.append(f"{work_dir.state.path} {text}.")
    if "secrets" in found:
        notes.append(
            "Tokens and keys are restored from the image; the administrator's certificate and the password are "
            "restored from auth/ if those files exist."
        )
    elif "secrets" in lost:
        notes.append(
            "Tokens and keys of this cluster cannot be restored. If auth/kubeconfig exists, it still gives "
            "access to the API."
        )
    notes += [f"{path} was missing; it was restored from {work_dir.state.path.name}." for path, _text in files]
    return notes
