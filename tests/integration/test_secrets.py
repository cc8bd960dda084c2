# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""No secret in any output, at any verbosity, in the report, the bundle, or a file that others can read (design 4)."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import Site

CANARY = 'canary-3f9c1d-Pa"ss\\word'


def forms(secret: str) -> set[str]:
    """How a secret may look: raw, base64, JSON-escaped once and twice."""
    escaped = json.dumps(secret)[1:-1]
    return {secret, base64.b64encode(secret.encode()).decode(), escaped, json.dumps(escaped)[1:-1]}


def secrets_of(site: Site) -> dict[str, str]:
    state = json.loads((site.work_dir / "state.json").read_text())["secrets"]
    named = {f"state.json {key}": value for key, value in leaves(state) if key not in ("infra_env_id", "public_key", "crt", "kubeadmin_hash")}
    named["pull secret"] = base64.b64encode(b"lab:" + CANARY.encode()).decode()
    named["pull secret password"] = CANARY
    return named


def leaves(data: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, key)
    elif isinstance(data, str):
        yield name, data.strip()


def others_can_read(path: Path, top: Path) -> bool:
    """Whether a stranger reaches and reads this file: every directory up to ``top`` open, and the file too."""
    open_to_others = bool(path.stat().st_mode & stat.S_IROTH)
    parents = [parent for parent in path.parents if top in (parent, *parent.parents)]
    return open_to_others and all(parent.stat().st_mode & stat.S_IXOTH for parent in parents)


def test_no_secret_is_shown_or_left_readable(sno: Site) -> None:
    auth = base64.b64encode(b"lab:" + CANARY.encode()).decode()
    pull_secret = json.dumps({"auths": {"registry.lab.example:5000": {"auth": auth}}})
    inventory = sno.directory / "secret.yml"
    inventory.write_text(json.dumps({"all": {"vars": {}}}))
    sno.lab.fault("bmc-503", "--count", "1")
    first = sno.deploy("-vvv", "--diff", "-e", json.dumps({"lab_pull_secret": pull_secret}))
    assert first.ok, first.output[-4000:]
    second = sno.deploy("-vvv", "--diff", "-e", json.dumps({"lab_pull_secret": pull_secret}))
    named = secrets_of(sno)
    assert len(named) > 8
    bmc_password = "lab-bmc-password"
    named["BMC password"] = bmc_password
    for run in (first, second):
        for name, secret in named.items():
            for form in forms(secret):
                assert form not in run.output, f"{name} is shown in the output"
    for report in ("report.html", "report.json"):
        text = (sno.work_dir / report).read_text()
        assert not [name for name, secret in named.items() for form in forms(secret) if form in text]
    for path in (path for path in sno.work_dir.rglob("*") if path.is_file()):
        assert (
            not others_can_read(path, sno.work_dir)
            or path.suffix == ".html"
            or not any(form.encode() in path.read_bytes() for secret in named.values() for form in forms(secret))
        ), f"{path} can be read by others and holds a secret"
