# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Deploy OpenShift 5.0 and 4.23 from nothing to installed, with the live ISO and operating system of each stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient

from .conftest import canary_inventory, canary_site
from .lab import Deployment, Lab

STREAM = (
    "The base image rhcos-10.2.20261101-0 is of stream rhel-10, the cluster is installed with rhel-9 (osImageStream)."
)


def release(version: str, **cluster: str) -> Any:
    return lambda inventory: inventory["all"]["vars"]["openshift_cluster"].update(version=version, **cluster)


@pytest.fixture
def rhel_10(tmp_path: Path) -> Iterator[Deployment]:
    """A single node of OpenShift 5.0, nothing deployed; the lab's live ISO is of RHEL 10: volume id, root file
    system.
    """
    lab = Lab(tmp_path, canary_site("sno", tmp_path), ["--rhel", "10"])
    try:
        lab.up()
        yield Deployment(lab, canary_inventory("sno", tmp_path, release("5.0.0")), tmp_path)
    finally:
        violations = lab.down()
    assert not violations


def node(deployment: Deployment) -> tuple[str, str]:
    """(operating system, kubelet) of the only node."""
    (found,) = KubeClient.from_kubeconfig(deployment.lab.kubeconfig()).get("/api/v1/nodes")["items"]
    return found["status"]["nodeInfo"]["osImage"], found["status"]["nodeInfo"]["kubeletVersion"]


def test_openshift_5_with_its_own_stream(rhel_10: Deployment) -> None:
    other = rhel_10.described_as(release("5.0.0", os_image_stream="rhel-9")).deployed("--check")
    assert STREAM in other.output and "/coreos/coreos-x86_64.iso in the image machine-os-images" in other.output, (
        other.output
    )

    first = rhel_10.deployed()
    assert "of stream" not in first.output
    image, kubelet = node(rhel_10)
    assert image.startswith("Red Hat Enterprise Linux CoreOS 10.2 (5.0.0") and kubelet.startswith("v1.36.")
    assert [cluster["version"] for cluster in rhel_10.lab.status()["clusters"]] == ["5.0.0"]
    rhel_10.lab.assert_nothing_left()
    again = rhel_10.deployed()
    assert again.changed == 0, again.output


@pytest.mark.long
def test_openshift_5_stays_with_rhel_9(make_deployment: Callable[..., Deployment]) -> None:
    """For processors before x86-64-v3: the stream reaches the nodes through the overrides of the install-config."""
    sno = make_deployment("sno", release("5.0.0", os_image_stream="rhel-9"))
    run = sno.deployed()
    assert "of stream" not in run.output
    assert node(sno)[0].startswith("Red Hat Enterprise Linux CoreOS 5.0.0")
