# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test resolving a release image tag to a digest, which happens once: when a registry is queried, what is recorded, and
the result if no registry answers.
"""

from __future__ import annotations

import dataclasses
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.documents import Release
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster, Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, Unreachable
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.tls import Tls
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import configure, release_pin
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.configure import (
    Input,
    ReleaseRegistry,
    apply_plan,
    plan_configuration,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.release_pin import (
    NotResolved,
    PinnedRelease,
    digest_of,
    pin_release,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.registry import ImagePlace, Refused
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.tests.unit.cluster import mistakes

TAG, OTHER_TAG = "quay.io/ocp/release:4.22.0-x86_64", "quay.io/ocp/release:4.22.0-multi"
OLD, NEW = ("sha256:" + letter * 64 for letter in "ab")
PINNED, RESOLVED = f"quay.io/ocp/release@{OLD}", f"quay.io/ocp/release@{NEW}"
NOTHING, BY_TAG, BY_DIGEST = Release("4.22.0"), Release("4.22.0", TAG), Release("4.22.0", PINNED, TAG)


def deployment(image: str, **changes: object) -> Deployment:
    found = read_variables(mistakes.good_cluster() | {"release_image": image}, mistakes.good_hosts()).deployment
    assert found is not None
    return dataclasses.replace(found, **changes)


def resolves(cluster: Cluster) -> str:
    return NEW


def fails(cluster: Cluster) -> str:
    raise NotResolved("Registry quay.io: it answers 503.")


def image_and_tag(release: PinnedRelease) -> tuple[str, str]:
    return release.deployment.cluster.release_image, release.deployment.cluster.release_tag


@pytest.mark.parametrize(
    ("image", "recorded", "again", "built", "expected", "asked"),
    [
        # The first run, and each later one.
        (TAG, NOTHING, False, False, (RESOLVED, TAG), True),
        (TAG, BY_DIGEST, False, False, (PINNED, TAG), False),
        (TAG, BY_DIGEST, False, True, (PINNED, TAG), False),
        # Another tag is another release.
        (OTHER_TAG, BY_DIGEST, False, True, (RESOLVED, OTHER_TAG), True),
        # start_over.
        (TAG, BY_DIGEST, True, True, (RESOLVED, TAG), True),
        (TAG, BY_TAG, True, True, (RESOLVED, TAG), True),
        # No registry answered the first run: a later one may, until there is an image for the tag.
        (TAG, BY_TAG, False, False, (RESOLVED, TAG), True),
        (TAG, BY_TAG, False, True, (TAG, ""), False),
        # The user names the digest; the one of release.json is no change.
        (RESOLVED, NOTHING, False, False, (RESOLVED, ""), False),
        (RESOLVED, BY_DIGEST, False, True, (RESOLVED, ""), False),
        (PINNED, BY_DIGEST, False, True, (PINNED, TAG), False),
        (PINNED, BY_DIGEST, True, True, (PINNED, TAG), False),
    ],
)
def test_when_a_registry_is_asked(
    image: str, recorded: Release, again: bool, built: bool, expected: tuple[str, str], asked: bool
) -> None:
    release = pin_release(deployment(image), recorded, resolves, again=again, built=built)
    assert (image_and_tag(release), release.asked, release.problem) == (expected, asked, None)
    assert release.step == (f"pin the release {expected[1]} to {expected[0]}" if asked else "")


@pytest.mark.parametrize(
    ("recorded", "again", "expected"),
    [
        (NOTHING, False, (TAG, "")),
        (BY_DIGEST, False, (PINNED, TAG)),
        (BY_DIGEST, True, (TAG, "")),
        (BY_TAG, False, (TAG, "")),
    ],
)
def test_off_asks_no_registry(recorded: Release, again: bool, expected: tuple[str, str]) -> None:
    release = pin_release(deployment(TAG), recorded, None, again=again)
    assert (image_and_tag(release), release.asked, release.problem) == (expected, False, None)


@pytest.mark.parametrize(
    ("recorded", "expected", "words"),
    [
        (NOTHING, (TAG, ""), "so hosts install what it names when they pull it. Registry quay.io: it answers 503."),
        (
            BY_DIGEST,
            (PINNED, TAG),
            ("so the digest that an earlier run resolved it to is used. Registry quay.io: it answers 503."),
        ),
    ],
)
def test_without_an_answer_the_run_continues(recorded: Release, expected: tuple[str, str], words: str) -> None:
    release = pin_release(deployment(TAG), recorded, fails, again=True)
    assert (image_and_tag(release), release.asked, release.step) == (expected, True, "")
    assert release.problem is not None and release.problem.severity == "warning"
    assert words in release.problem.text() and "openshift_release_image (repository@sha256:…)" in release.problem.text()


def test_a_set_of_manifests_is_used_as_it_is() -> None:
    release = pin_release(
        deployment(TAG, provided_manifests={"cluster-manifests/cluster-image-set.yaml": "{}"}), NOTHING, resolves
    )
    assert (image_and_tag(release), release.asked) == ((TAG, ""), False)
    assert release.problem is not None and "cluster-image-set.yaml" in release.problem.hint


# -- the configuration directory -------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The registry answers, and what it was asked."""
    images: list[str] = []

    def answer(cluster: Cluster, **_options: object) -> str:
        images.append(cluster.release_image)
        return f"sha256:{len(images):064x}"

    monkeypatch.setattr(configure, "digest_of", answer)
    return images


def provided(dest: Path, image: str = TAG, **changes: object) -> Input:
    return Input(dest, mistakes.good_cluster() | {"release_image": image}, mistakes.good_hosts(), **changes)  # type: ignore[arg-type]


def written(dest: Path, image: str = TAG, *, again: bool = False, **changes: object) -> dict[str, str]:
    apply_plan(
        plan_configuration(
            provided(dest, image, **changes), registry=ReleaseRegistry(again=again, work_dir=dest.parent)
        )
    )
    return dict(json.loads((dest / "release.json").read_text()))


def test_the_digest_is_kept_in_release_json(asked: list[str], tmp_path: Path) -> None:
    dest = tmp_path / "config"
    first = {"version": "4.22.0", "release_image": f"quay.io/ocp/release@sha256:{1:064x}", "release_tag": TAG}
    assert written(dest) == first
    assert written(dest) == first and asked == [TAG]
    # The same digest, named by the user, changes nothing.
    assert written(dest, first["release_image"]) == first
    assert written(dest, again=True) == first | {"release_image": f"quay.io/ocp/release@sha256:{2:064x}"}
    assert written(dest, OTHER_TAG)["release_tag"] == OTHER_TAG
    assert written(dest, PINNED) == {"version": "4.22.0", "release_image": PINNED}
    assert asked == [TAG, TAG, OTHER_TAG]


def test_the_tag_of_an_image_stays(asked: list[str], tmp_path: Path) -> None:
    tag = {"version": "4.22.0", "release_image": TAG}
    dest = tmp_path / "config"
    assert written(dest, checks={"release-not-pinned": "off"}) == tag
    with WorkDir(tmp_path).state.edit() as document:
        document["image"] = {"path": "agent.iso"}
    assert written(dest) == tag and asked == []
    (tmp_path / "state.json").write_text("damaged")
    assert written(dest) == tag and asked == []


@pytest.mark.parametrize(("level", "severity"), [("warn", "warning"), ("error", "")])
def test_the_severity_is_that_of_the_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, level: str, severity: str
) -> None:
    monkeypatch.setattr(configure, "digest_of", lambda cluster, **_options: fails(cluster))
    described = provided(tmp_path / "config", checks={"release-not-pinned": level})
    if severity:
        found = [problem for problem in plan_configuration(described).problems if problem.check == "release-not-pinned"]
        assert [problem.severity for problem in found] == [severity]
        return
    with pytest.raises(InvalidInput, match="it answers 503"):
        plan_configuration(described)


def test_mirrors_are_used_for_a_pinned_tag(asked: list[str], tmp_path: Path) -> None:
    sources = [{"source": "quay.io/ocp/release", "mirrors": ["mirror.example.com/ocp/release"]}]
    described = dataclasses.replace(
        provided(tmp_path / "config"),
        cluster=mistakes.good_cluster() | {"release_image": TAG, "image_digest_sources": sources},
    )
    assert "release-image-tag" not in {problem.check for problem in plan_configuration(described).problems}
    off = dataclasses.replace(described, checks={"release-not-pinned": "off"})
    assert "release-image-tag" in {problem.check for problem in plan_configuration(off).problems}


# -- registries ------------------------------------------------------------------------------------------------------

MIRRORS = [{"source": "quay.io/ocp", "mirrors": ["first.example.com/ocp", "second.example.com/ocp"]}]


def mirrored() -> Cluster:
    found = read_variables(
        mistakes.good_cluster() | {"release_image": TAG, "image_digest_sources": MIRRORS}, mistakes.good_hosts()
    ).deployment
    assert found is not None
    return found.cluster


def refuse(image: ImagePlace) -> str:
    raise Refused(f"it has no {image.repository}")


def away(image: ImagePlace) -> str:
    raise Unreachable(f"Registry {image.host}: no answer.", "timeout")


@pytest.mark.parametrize(
    ("first", "second", "fault"),
    [
        (lambda image: NEW, refuse, ""),
        (away, lambda image: NEW, ""),
        (refuse, lambda image: NEW, ""),
        (refuse, away, "Registry first.example.com: it has no ocp/release. Registry second.example.com: no answer."),
    ],
)
def test_the_first_mirror_that_answers(
    monkeypatch: pytest.MonkeyPatch, first: Callable[[ImagePlace], str], second: Callable[[ImagePlace], str], fault: str
) -> None:
    answers = {"first.example.com": first, "second.example.com": second}

    def check(image: ImagePlace, login: str, tls: Tls, connect_to: ConnectTo, timeout: float) -> str:
        return answers[image.host](image)

    monkeypatch.setattr(release_pin, "check_image", check)
    if not fault:
        assert digest_of(mirrored(), "", ConnectTo()) == NEW
        return
    with pytest.raises(NotResolved) as error:
        digest_of(mirrored(), "", ConnectTo())
    assert str(error.value) == fault


def test_a_registry_that_is_silent_costs_little_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connect_to = ConnectTo.of({"quay.io:443": f"127.0.0.1:{silent.getsockname()[1]}"})
        began = time.monotonic()
        with pytest.raises(NotResolved, match=r"No registry answered within 0\.2 s\."):
            digest_of(deployment(TAG).cluster, "", connect_to, within=0.2)
        assert time.monotonic() - began < 4


def test_a_name_that_is_none_of_an_image() -> None:
    with pytest.raises(NotResolved, match="is not registry/repository:tag"):
        digest_of(deployment("nowhere").cluster, "", ConnectTo())
