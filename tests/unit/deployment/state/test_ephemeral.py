# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a work directory is refused if it is deleted with its job (AWX, Ansible Automation Platform) or its pod.

Elsewhere no work directory is refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.ephemeral import (
    JobFacts,
    Mount,
    ephemeral_problem,
    gather,
    mount_of,
    private_directories,
    read_mounts,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from hypothesis import given
from hypothesis import strategies as st

AWX = {"AWX_PRIVATE_DATA_DIR": "/tmp/awx_61_x", "AWX_ISOLATED_DATA_DIR": "/runner/artifacts/61", "JOB_ID": "61"}
PRIVATE = ("/tmp/awx_61_x", "/runner")
ROOT, RUNNER = Mount("/", "/", "overlay"), Mount("/runner", "/tmp/awx_61_x", "xfs")
DISK = Mount("/", "/", "xfs")


@pytest.mark.parametrize(
    ("work_dir", "mount", "lost"),
    [
        # On an execution node the private directory is a mount of the container; it is deleted with the job all the
        # same.
        ("/runner/project/clusters/demo", RUNNER, "private directory of the job, /runner"),
        ("/runner", RUNNER, "private directory"),
        # In a container group it is on the container's own layer.
        ("/runner/project/clusters/demo", ROOT, "it is on overlay"),
        ("/home/runner/demo", ROOT, "it is on overlay"),
        ("/dev/shm/demo", Mount("/dev/shm", "/", "tmpfs"), "it is on tmpfs"),
        (
            "/data/demo",
            Mount("/data", "/var/lib/kubelet/pods/u/volumes/kubernetes.io~empty-dir/data", "ext4"),
            "emptyDir",
        ),
        ("/tmp/awx_61_x/project/clusters/demo", DISK, "private directory of the job, /tmp/awx_61_x"),
        # Volumes that outlive the job, also below the private directory, and a controller without containers.
        ("/data/demo", Mount("/data", "/pvc", "ext4"), ""),
        ("/data/demo", Mount("/data", "/export", "nfs4"), ""),
        ("/runner/clusters/demo", Mount("/runner/clusters", "/pvc", "xfs"), ""),
        ("/var/lib/clusters/demo", DISK, ""),
        ("/runners/demo", DISK, ""),
        # What cannot be found out is no reason to refuse, outside of the private directory.
        ("/data/demo", None, ""),
        ("/runner/project/demo", None, "private directory"),
    ],
)
def test_table(work_dir: str, mount: Mount | None, lost: str) -> None:
    facts = JobFacts(work_dir, PRIVATE, mount)
    found = ephemeral_problem(StateOptions(), facts)
    assert (found is not None) == bool(lost)
    if found is not None:
        assert lost in found.detail and work_dir in found.detail and "ephemeral: true" in found.hint
    assert ephemeral_problem(StateOptions(ephemeral=True), facts) is None
    assert ephemeral_problem(StateOptions("secret"), facts) is None
    # A container, or ansible-runner of a user, is no job of a controller.
    assert ephemeral_problem(StateOptions(), JobFacts(work_dir, (), mount)) is None
    # A pod without a controller has no private directory; what ends with it is the same.
    in_pod = JobFacts(work_dir, (), mount, pod=True)
    found = ephemeral_problem(StateOptions(), in_pod)
    assert (found is not None) == (bool(lost) and "private" not in lost)
    assert found is None or "which ends with this pod" in found.detail
    assert ephemeral_problem(StateOptions(ephemeral=True), in_pod) is None


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        (AWX, PRIVATE),
        (
            {"JOB_ID": "61", "AWX_HOST": "https://controller", "AWX_ISOLATED_DATA_DIR": "/runner/artifacts/61"},
            ("/runner",),
        ),
        ({"AWX_PRIVATE_DATA_DIR": "/tmp/awx_1"}, ("/tmp/awx_1", "/runner")),
        ({"AWX_PRIVATE_DATA_DIR": "/", "AWX_ISOLATED_DATA_DIR": "/x"}, ("/runner",)),
        ({}, ()),
        ({"AWX_ISOLATED_DATA_DIR": "/home/me/demo/artifacts/1"}, ()),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, ()),
        ({"JOB_ID": "5"}, ()),
        ({"AWX_PRIVATE_DATA_DIR": ""}, ()),
    ],
)
def test_jobs_of_a_controller(environment: dict[str, str], found: tuple[str, ...]) -> None:
    assert private_directories(environment) == found


MOUNTINFO = """\
1 0 0:1 / / rw - overlay overlay rw,lowerdir=/a
2 1 8:1 /exports/a\\040b /data rw,relatime shared:1 master:2 - xfs /dev/sda1 rw
3 2 0:5 / /data/deep\\134x rw - tmpfs tmpfs rw
4 1 8:1 /second /data rw - ext4 /dev/sdb rw
broken
5 1 8:1 / /nothing
"""


def test_mountinfo() -> None:
    mounts = read_mounts(MOUNTINFO)
    assert mounts == [
        Mount("/", "/", "overlay"),
        Mount("/data", "/exports/a b", "xfs"),
        Mount("/data/deep\\x", "/", "tmpfs"),
        Mount("/data", "/second", "ext4"),
    ]
    assert mount_of("/data/x", mounts) == mounts[3]  # mounted over the former one
    assert mount_of("/data/deep\\x/y", mounts) == mounts[2]
    assert mount_of("/database", mounts) == mounts[0]
    assert mount_of("/x", []) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for mount in read_mounts(text):
        assert mount.kind


def test_the_facts_of_this_process(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    facts = gather(tmp_path / "link" / "new", AWX)
    assert facts.work_dir == str(tmp_path.resolve() / "real" / "new")
    assert facts.private == PRIVATE and facts.mount is not None and not facts.pod
    assert gather(tmp_path, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}).pod
    assert gather(tmp_path, {}, tmp_path / "missing") == JobFacts(str(tmp_path.resolve()), (), None)
    assert (
        ephemeral_problem(StateOptions(), gather(tmp_path, {"KUBERNETES_SERVICE_HOST": "x", "container": "podman"}))
        is None
    )
