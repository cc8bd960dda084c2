# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare our Ignition configs with recordings of the installer's: paths, modes, owners, order of lines, data, units.

recorded/<name>/image.json records the Ignition config that ``openshift-install`` (4.21 in development, November 2025)
generated from the input in the same directory. It lists every file, without the texts of programs and prose, and every
unit with whether it is enabled. recorded/releases.json lists the same from the sources of seven releases, with the
dependencies of the units. Secrets and random values are removed.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Host,
    ImageDigestSource,
    Interface,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build import kernel_arguments
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.live import OsImage, build_live_ignition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests

RECORDED = Path(__file__).with_name("recorded")
RELEASE_IMAGE = "registry.ci.openshift.org/origin/release:4.21"
RELEASES = json.loads((RECORDED / "releases.json").read_text())
DRAWN = re.compile(r"(?m)^(INFRA_ENV_ID|EC_PUBLIC_KEY_PEM|USER_AUTH_TOKEN|WATCHER_AUTH_TOKEN|PULL_SECRET_TOKEN)=.*$")
# Every manifest had a ``creationTimestamp: null`` until early 2026, and every reference an empty namespace.
# Source: openshift/installer pkg/asset/agent/manifests.
EARLIER = re.compile(r"(?m)^ *(creationTimestamp: null|namespace: \"\")\n")
Build = Callable[..., LiveIgnition]
Document = dict[str, Any]

# What the development tree of November 2025 did not have yet.
# Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files; docs/upstream/releases.md.
LATER_PROGRAM = "/usr/local/bin/configure-assisted-hw-requirements.sh"
LATER_SETTINGS = {"HW_VALIDATOR_REQUIREMENTS", "TNF_CLUSTERS_SUPPORT", "HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT"}


def recording(name: str) -> Document:
    document: Document = json.loads((RECORDED / name / "image.json").read_text())
    return document


def ours(name: str, secrets: BuildSecrets, build_nodes: Build) -> Document:
    settings = next(file["text"] for file in recording(name)["files"] if file["path"].endswith("/images.env"))
    os_image = OsImage(**json.loads(settings.split("OS_IMAGES=", 1)[1])[0])
    if name == "nodes":
        return json.loads(build_nodes(tuple(nodes()), **FACTS, os=os_image).encode())
    folder = RECORDED / name / "input"
    parsed = read_directory(folder, version="4.21.0", release_image=RELEASE_IMAGE)
    assert parsed.deployment is not None
    manifests = render_manifests(parsed.deployment)
    live = build_live_ignition(
        parsed.deployment, manifests, secrets, os_image, agent_config=(folder / "agent-config.yaml").read_bytes()
    )
    return json.loads(live.encode())


FACTS: Document = {
    "version": "4.21.3",
    "ssh_key": "ssh-rsa AAAA one",
    "pull_secret": '{"auths": {"quay.io": {"auth": "c3VwZXItc2VjcmV0"}}}',
    "image_digest_sources": (
        ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror.example.com:5000/ocp",)),
    ),
    "release_image": "quay.io/openshift-release-dev/ocp-release@sha256:" + "ab12" * 16,
    "proxy": Proxy("http://proxy.example.com:3128", "", "example.com"),
}


def nodes() -> Iterator[Host]:
    for host in yaml.safe_load((RECORDED / "nodes" / "input" / "nodes-config.yaml").read_text())["hosts"]:
        interfaces = tuple(Interface(nic["name"], nic["macAddress"]) for nic in host["interfaces"])
        yield Host(
            host["hostname"],
            host["hostname"],
            "",
            interfaces,
            host.get("rootDeviceHints", {}),
            host.get("networkConfig", {}),
        )


def texts(document: Document) -> dict[str, str]:
    """Path -> content of our files, without what was drawn by lot."""
    found = {}
    for file in document["storage"]["files"]:
        source = (file["contents"].get("source") or file.get("append", [{}])[0]["source"]).split(",", 1)[1]
        found[file["path"]] = DRAWN.sub(r"\1=", base64.b64decode(source).decode())
    return found


NAMES = ("full", "external_single_node", "odd_texts", "nodes")


@pytest.fixture(scope="module", params=NAMES)
def pair(request: pytest.FixtureRequest, secrets: BuildSecrets, build_nodes: Build) -> tuple[Document, Document]:
    return recording(request.param), ours(request.param, secrets, build_nodes)


def test_the_same_files_with_the_same_modes(pair: tuple[Document, Document]) -> None:
    theirs, document = pair
    wanted = {
        file["path"]: {key: file[key] for key in ("mode", "user", "overwrite")} | {"append": file.get("append", False)}
        for file in theirs["files"]
    }
    found = {
        file["path"]: {key: file[key] for key in ("mode", "user", "overwrite")} | {"append": "append" in file}
        for file in document["storage"]["files"]
    }
    assert found.pop(LATER_PROGRAM)["mode"] == 0o555
    assert found == wanted
    assert document["storage"]["directories"] == theirs["directories"]
    assert document["ignition"] == theirs["head"]


def test_the_same_units_enabled(pair: tuple[Document, Document]) -> None:
    theirs, document = pair
    assert {unit["name"]: unit.get("enabled") for unit in document["systemd"]["units"]} == theirs["units"]


def test_data_urls_have_the_same_head(pair: tuple[Document, Document]) -> None:
    theirs, document = pair
    heads = {
        file["path"]: (file["contents"].get("source") or file.get("append", [{}])[0]["source"]).split(",")[0]
        for file in document["storage"]["files"]
    }
    assert {file["path"]: file["head"].rstrip(",") for file in theirs["files"]} == {
        path: head for path, head in heads.items() if path != LATER_PROGRAM
    }


def test_the_same_data(pair: tuple[Document, Document]) -> None:
    """Env files line by line in their order, keyfiles by section, the rest to the byte."""
    theirs, document = pair
    found = texts(document)
    compared = 0
    for file in theirs["files"]:
        path = file["path"]
        if "text" not in file:
            continue
        compared += 1
        assert meaning(path, found[path]) == meaning(path, file["text"]), path
    assert compared > 15


def meaning(path: str, text: str) -> object:
    if path.endswith(".yaml") and "agent-config" not in path:
        return EARLIER.sub("", text)
    if path.endswith(".nmconnection"):
        sections = [part.splitlines() for part in text.strip().split("\n\n")]
        return {lines[0]: sorted(line for line in lines[1:] if not line.startswith("uuid=")) for lines in sections}
    if path.endswith("assisted-service.env"):
        return [line for line in text.splitlines() if line.split("=")[0] not in LATER_SETTINGS]
    return text


@pytest.mark.parametrize(("name", "arguments"), [("full", []), ("external_single_node", ["console=ttyS0"])])
def test_the_same_kernel_arguments(name: str, arguments: list[str]) -> None:
    deployment = read_directory(RECORDED / name / "input", version="4.21.0", release_image=RELEASE_IMAGE).deployment
    assert deployment is not None
    assert kernel_arguments(deployment.cluster) == arguments


# Each release

# Units whose dependencies differ, and why: see DIFFERENCES in the table.
FURTHER_CONDITIONS = {"assisted-service.service", "assisted-service-db.service"}
FROM_4_15 = {"agent-interactive-console.service"}
PLACED_BEHIND_THE_POD = {"install-status.service"}
KEYS = ("Requires", "BindsTo", "PartOf", "Conflicts", "ConditionPathExists", "WantedBy", "RequiredBy", "After")


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest, build: Build) -> tuple[str, LiveIgnition]:
    return request.param, build(version=f"{request.param}.0")


def test_each_release_has_its_units(release: tuple[str, LiveIgnition]) -> None:
    name, live = release
    assert {unit.name for unit in live.units} == set(RELEASES[name]["units"])
    # multipathd is enabled without being shipped; the static network is this cluster's own.
    enabled = {unit.name for unit in live.units if unit.enabled} - {"pre-network-manager-config.service"}
    assert enabled == set(RELEASES[name]["enabled"]) - {"multipathd.service"}


def test_each_release_has_its_dependencies(release: tuple[str, LiveIgnition]) -> None:
    name, live = release
    for unit in live.units:
        theirs, own = RELEASES[name]["units"][unit.name], dependencies(unit.contents)
        if name == "4.14" and unit.name in FROM_4_15:
            continue
        for key in KEYS:
            wanted, found = set(theirs.get(key, ())), set(own.get(key, ()))
            if key == "After":
                assert wanted <= found or unit.name in PLACED_BEHIND_THE_POD, (unit.name, wanted - found)
            elif key == "ConditionPathExists" and unit.name in FURTHER_CONDITIONS:
                assert found == wanted | {"/etc/assisted/node0"}
            elif (key, unit.name) == ("WantedBy", "agent-extract-tui.service"):
                assert found == {"agent-interactive-console.service"}
            else:
                assert found == wanted, (unit.name, key)


def dependencies(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in KEYS:
            found.setdefault(key, []).extend(value.split())
    return found


def test_each_release_has_its_settings(release: tuple[str, LiveIgnition]) -> None:
    name, live = release
    settings = {file.path.rsplit("/", 1)[1]: file.content.decode() for file in live.files if file.path.endswith(".env")}
    for file, wanted in RELEASES[name]["environment"].items():
        found = [line.split("=", 1)[0] for line in settings[file].splitlines()]
        if file == "assisted-service.env":
            # 4.16 and 4.17 had keys for tokens that were not required yet; the arbiter came to 4.19 after it was
            # released.
            early = (
                {"EC_PUBLIC_KEY_PEM", "EC_PRIVATE_KEY_PEM", "AGENT_AUTH_TOKEN"} if name in ("4.16", "4.17") else set()
            )
            found = [key for key in found if key not in {*LATER_SETTINGS, "TNA_CLUSTERS_SUPPORT"} or key in wanted]
            wanted = [key for key in wanted if key not in early]
        if name == "4.19" and file == "start-cluster.env":
            found.remove("REQUIRED_ARBITER_NODES")
        assert found == wanted, file


def test_each_release_has_its_programs(release: tuple[str, LiveIgnition]) -> None:
    name, live = release
    found = {file.path.rsplit("/", 1)[1] for file in live.files if file.path.startswith("/usr/local/bin/")}
    # These come from another place of the installer's sources; common.sh is ours in every release.
    elsewhere = {
        "release-image.sh",
        "release-image-download.sh",
        "bootstrap-service-record.sh",
        "pre-network-manager-config.sh",
        "common.sh",
    }
    later = {Path(LATER_PROGRAM).name} if name == "4.21" else set()
    assert found - elsewhere - later == set(RELEASES[name]["programs"]) - elsewhere
