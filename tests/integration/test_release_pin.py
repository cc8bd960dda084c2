# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a release that is named by tag: its digest is resolved once, and a later job builds the same image although the
registry moved the tag.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.document_server import DocumentServer
from ztlab.site.model import digest_of, manifest

from .canaries import REGISTRY_PASSWORD
from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, kill_all
from .test_killed import MOMENTS
from .test_state_store import lost, resumed, stored_in

NAME = "openshift-release-dev/ocp-release"
TAG = f"quay.io/{NAME}:4.22.0-x86_64"
IMAGE = TAG.removeprefix("quay.io/")
FIRST, MOVED = (f"quay.io/{NAME}@{digest_of(manifest(IMAGE, moved=moved))}" for moved in (False, True))
REGISTRY = {"host": "quay.io", "username": "lab", "password": REGISTRY_PASSWORD, "images": [IMAGE]}
START_OVER = {"openshift_force": ["start_over"], "openshift_confirm": "sno"}


@pytest.fixture
def sno(make_lab: MakeLab, tmp_path: Path) -> Deployment:
    """A single node in a lab with the registry of its release."""
    site = canary_site("sno", tmp_path)
    site.write_text(yaml.safe_dump(yaml.safe_load(site.read_text()) | {"registries": [REGISTRY]}))
    return Deployment(make_lab(tmp_path, site), canary_inventory("sno", tmp_path), tmp_path)


@pytest.fixture
def server() -> Iterator[DocumentServer]:
    made = DocumentServer()
    yield made
    made.stop()


def release(sno: Deployment) -> dict[str, Any]:
    """What the configuration says about the release."""
    return dict(json.loads((sno.work_dir / "config" / "release.json").read_text()))


def image(sno: Deployment) -> str:
    """The digest of the agent ISO."""
    return hashlib.sha256((sno.work_dir / "images" / "agent.x86_64.iso").read_bytes()).hexdigest()


def test_a_tag_is_resolved_once(sno: Deployment, server: DocumentServer) -> None:
    variables = stored_in(server)
    planned = sno.deployed("--check", extra=variables)
    assert f"would pin the release {TAG} to {FIRST}" in planned.output and not sno.work_dir.exists(), planned.output

    built: list[str] = []

    def lose(process: int) -> None:
        built.append(image(sno))
        assert release(sno) == {"version": "4.22.0", "release_image": FIRST, "release_tag": TAG}
        lost(sno, process)

    output, _seconds = sno.interrupted(MOMENTS["booting"](sno), lose, extra=variables)
    assert f"pin the release {TAG} to {FIRST}" in output, output
    # The tag names another image now, and then no registry answers.
    sno.lab.fault("registry-tag-moved", count=0)
    sno.lab.fault("registry-503", count=0)
    run = resumed(sno, variables)
    assert run.ok and "state: restored" in run.output, run.output
    assert image(sno) == built[0], "the next job built another image"
    assert release(sno)["release_image"] == FIRST and "release-not-pinned" not in run.output, run.output
    state = json.loads((sno.work_dir / "state.json").read_text())
    assert state["cluster"]["release_image"] == FIRST

    # A new installation is one of what the tag names now, once it is permitted.
    sno.lab.clear_faults()
    sno.lab.fault("registry-tag-moved", count=0)
    refused = sno.untouched(extra={**variables, "openshift_force": ["start_over"]})
    assert not refused.ok and release(sno)["release_image"] == FIRST, refused.output
    planned = sno.untouched("deploy_cluster", "--check", extra={**variables, **START_OVER})
    assert f"would pin the release {TAG} to {MOVED}" in planned.output and release(sno)["release_image"] == FIRST, (
        planned.output
    )
    sno.interrupted(MOMENTS["booting"](sno), kill_all, extra={**variables, **START_OVER})
    assert release(sno) == {"version": "4.22.0", "release_image": MOVED, "release_tag": TAG} and image(sno) != built[0]


def test_a_registry_that_is_away(sno: Deployment) -> None:
    """The tag is used, with a warning. Once there is an image for it, it stays."""
    sno.lab.fault("registry-503", count=0)
    refused = sno.refused(extra={"openshift_checks": {"release-not-pinned": "error"}})
    assert "the tag cannot be resolved to a digest" in refused.message and not sno.lab.bmc_writes(), refused.output
    assert not sno.work_dir.exists() or not any((sno.work_dir / "config").glob("*")), "an error writes no configuration"
    output, _seconds = sno.interrupted(MOMENTS["booting"](sno), kill_all)
    assert output.count("so hosts install what it names when they pull it. Registry quay.io: it answers 503.") == 1, (
        output
    )
    assert release(sno) == {"version": "4.22.0", "release_image": TAG}
    sno.lab.clear_faults()
    run = sno.deploy()
    assert run.ok and release(sno) == {"version": "4.22.0", "release_image": TAG}, run.output
