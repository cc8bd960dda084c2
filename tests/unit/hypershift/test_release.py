# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test comparing OpenShift releases by their image tags, and checking the ConfigMaps of a node pool."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.names import SKIP_RELEASE_CHECKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.config import config_faults
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.release import (
    ahead_fault,
    behind_fault,
    cluster_fault,
    stream_change,
    stream_fault,
    version_of,
)
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub


def image(version: str) -> str:
    return f"registry.example.com:5000/ocp/release:{version}-x86_64"


def running(version: str) -> Any:
    return hub.hosted_cluster(version={"history": [{"version": version, "state": "Completed", "image": "x"}]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (image("4.22.3"), (4, 22, 3)),
        ("quay.io/x/release:5.0.0-rc.1-multi@sha256:00", (5, 0, 0)),
        ("quay.io/x/release@sha256:00", None),
        ("registry.example.com:5000/release", None),
        ("quay.io/x/release:latest", None),
        ("quay.io/x/release:4.22", None),
    ],
)
def test_versions_in_tags(text: str, found: Any) -> None:
    assert version_of(text) == found


def test_releases_of_a_hosted_cluster() -> None:
    assert cluster_fault(image("4.13.40"), None, {}) == "must be 4.14 or newer"
    assert cluster_fault(image("4.14.0"), None, {}) == ""
    assert cluster_fault(image("4.21.9"), running("4.22.0"), {}) == (
        "must not go back to an older minor version: it runs 4.22.0"
    )
    assert cluster_fault(image("4.22.0"), running("4.22.5"), {}) == ""
    assert cluster_fault(image("4.22.9"), running("5.0.1"), {})
    assert cluster_fault(image("4.21.9"), running("4.22.0"), {SKIP_RELEASE_CHECKS: "true"}) == ""
    assert cluster_fault("quay.io/x@sha256:00", running("4.22.0"), {}) == ""


@pytest.mark.parametrize(
    ("pool", "plane", "words"),
    [
        ("4.22.0", "4.22.0", ""),
        ("4.19.9", "4.22.0", ""),
        ("4.18.9", "4.22.0", "4 minor versions behind"),
        ("4.22.1", "4.22.0", "newer than the control plane"),
        ("4.20.0", "5.0.0", ""),
        ("4.19.0", "5.0.0", "4 minor versions behind"),
        ("5.0.0", "4.22.9", "newer than the control plane"),
        ("4.23.0", "5.0.0", ""),
        ("4.23.1", "5.0.0", "newer than the control plane"),
        ("5.0.0", "5.1.0", ""),
        ("4.20.0", "5.1.0", "4 minor versions behind"),
    ],
)
def test_how_far_a_pool_may_be_from_its_control_plane(pool: str, plane: str, words: str) -> None:
    faults = [ahead_fault(image(pool), running(plane)), behind_fault(image(pool), running(plane))]
    assert [words in fault for fault in faults if fault] == [True] * bool(words), faults


@pytest.mark.parametrize(
    ("stream", "release", "words"),
    [
        ("rhel-10", "5.0.0", ""),
        ("rhel-10", "5.0.0-rc.3", ""),
        ("rhel-10", "4.23.0", "rhel-10 needs release 5.0 or newer, the pool has 4.23.0"),
        ("rhel-9", "4.23.0", ""),
        ("rhel-9", "5.0.0", ""),
        ("", "4.22.0", ""),
    ],
)
def test_streams_of_releases(stream: str, release: str, words: str) -> None:
    assert stream_fault(stream, image(release)) == words
    assert stream_fault(stream, "quay.io/x/release@sha256:00") == ""


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [("4.22.9", "5.0.0", True), ("4.23.0", "5.0.0", True), ("4.21.0", "4.22.0", False), ("5.0.0", "5.1.0", False)],
)
def test_a_pool_without_a_stream_changes_it_with_release_5(before: str, after: str, changes: bool) -> None:
    assert bool(stream_change(image(after), image(before))) is changes
    assert not changes or "set os_image_stream: rhel-9" in stream_change(image(after), image(before))


def test_a_control_plane_that_has_not_said_its_version() -> None:
    assert "newer than" in ahead_fault(image("4.23.0"), hub.hosted_cluster())
    assert ahead_fault(image("4.23.0"), None) == behind_fault(image("4.23.0"), None) == ""


@pytest.mark.parametrize("newer", [image("4.22.1"), "quay.io/x/release@sha256:11"])
def test_a_release_counts_once_the_control_plane_has_it_in_full(newer: str) -> None:
    """One that is named by digest says no version: it is that of the hosted cluster, or nothing can be said."""

    def cluster(state: str) -> Any:
        history = [
            {"version": "4.22.1", "state": state, "image": newer},
            {"version": "4.22.0", "state": "Completed", "image": image("4.22.0")},
        ]
        found = hub.hosted_cluster(version={"history": history})
        found["spec"]["release"] = {"image": newer}
        return found

    assert "newer than the control plane" in ahead_fault(newer, cluster("Partial"))
    assert ahead_fault(newer, cluster("Completed")) == ahead_fault(image("4.22.0"), cluster("Partial")) == ""
    assert ahead_fault("quay.io/x/release@sha256:22", cluster("Partial")) == ""


def test_config_maps() -> None:
    found: dict[str, Any] = {
        "good": {"data": {"config": "kind: MachineConfig\n---\nkind: KubeletConfig\n"}},
        "empty": {"data": {"other": "x"}},
        "broken": {"data": {"config": "a: [b"}},
        "pod": {"data": {"config": "kind: Pod"}},
        "text": {"data": {"config": "just words"}},
        "none": None,
        "tuned": {"data": {"tuning": "kind: PerformanceProfile"}},
        "wrong": {"data": {"tuning": "kind: MachineConfig"}},
    }
    options = {
        "namespace": "clusters",
        "config": ["good", "empty", "broken", "pod", "text", "none", "unreadable"],
        "tuning_config": ["tuned", "wrong"],
    }
    assert [fault.partition("/")[2].partition(";")[0] for fault in config_faults(options, found)] == [
        "empty (config) has nothing under config",
        "broken (config) holds no YAML under config",
        "pod (config) holds a Pod",
        "text (config) holds a document without kind",
        "none (config) does not exist",
        "wrong (tuning_config) holds a MachineConfig",
    ]
