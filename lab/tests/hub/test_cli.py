# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a lab with a hub as users start it with ``ztlab``: its variables, its kubeconfig, its status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from .rig import SITE

ROOT = Path(__file__).parents[3]


def ztlab(*words: str, code: int = 0) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "lab")}
    done = subprocess.run(
        [sys.executable, "-m", "ztlab", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


def test_a_lab_with_a_hub(tmp_path: Path) -> None:
    site, state = tmp_path / "site.yml", tmp_path / "lab"
    site.write_text(yaml.safe_dump({**SITE, "hub": {**SITE["hub"], "variables": {"namespace": "fleet"}}}))
    assert "hub https://api.hub.example.com:6443" in ztlab(
        "up", "--site", str(site), "--state", str(state), "--speed", "60", "--ttl", "5m"
    )
    try:
        status = json.loads(ztlab("status", "--json", "--state", str(state)))
        variables = yaml.safe_load(ztlab("vars", "--state", str(state)))
        prefix = status["net"]
        connect_to = variables["openshift_connect_to"]
        assert connect_to["api.hub.example.com:6443"] == f"{prefix}.0.5:6443"
        assert connect_to["assisted-image-service.hub.example.com:443"] == f"{prefix}.0.5:8443"
        path = Path(variables["openshift_hub"].pop("kubeconfig"))
        assert variables["openshift_hub"] == {"namespace": "fleet"}
        assert path.stat().st_mode & 0o777 == 0o600
        assert (
            yaml.safe_load(path.read_text())["clusters"][0]["cluster"]["server"] == "https://api.hub.example.com:6443"
        )
        direct = yaml.safe_load(ztlab("kubeconfig", "--hub", "--state", str(state)))["clusters"][0]["cluster"]
        assert (direct["server"], direct["tls-server-name"]) == (f"https://{prefix}.0.5:6443", "api.hub.example.com")
        assert status["hub"]["infra_envs"] == {}
    finally:
        ztlab("down", "--state", str(state))
    assert not state.exists()
