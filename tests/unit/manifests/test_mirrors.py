# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the manifests for registry mirrors: registries.conf, the mirrored release image, public registries, and
certificates.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ImageDigestSource,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import encode_certificates
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.mirrors import (
    PullSpec,
    public_registries,
    registries_conf,
    release_mirror,
)
from ansible_collections.zerotouch.openshift.tests.unit.manifests.deployments import RELEASE

SOURCES = (
    ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("reg.example:5000/ocp/release",)),
    ImageDigestSource(
        "quay.io/openshift-release-dev/ocp-v4.0-art-dev",
        ("reg.example:5000/ocp/a", "reg.example:5000/ocp/b"),
        "NeverContactSource",
    ),
    ImageDigestSource(
        "quay.io/openshift-release-dev/ocp-release", ("reg2.example/ocp/release", "reg.example:5000/ocp/release")
    ),
    ImageDigestSource("docker.io/none"),
)

REGISTRIES = """\
credential-helpers = []
short-name-mode = ""
unqualified-search-registries = []

[[registry]]
  location = "quay.io/openshift-release-dev/ocp-release"
  mirror-by-digest-only = true
  prefix = ""

  [[registry.mirror]]
    location = "reg.example:5000/ocp/release"

  [[registry.mirror]]
    location = "reg2.example/ocp/release"

[[registry]]
  blocked = true
  location = "quay.io/openshift-release-dev/ocp-v4.0-art-dev"
  mirror-by-digest-only = true
  prefix = ""

  [[registry.mirror]]
    location = "reg.example:5000/ocp/a"

  [[registry.mirror]]
    location = "reg.example:5000/ocp/b"
"""


def test_registries_conf() -> None:
    assert registries_conf(SOURCES) == REGISTRIES
    assert registries_conf(SOURCES, layer_store_helper=True) == f'additional-layer-store-auth-helper = ""\n{REGISTRIES}'
    assert registries_conf(SOURCES, blocking=False) == REGISTRIES.replace("  blocked = true\n", "")
    # Sources without mirrors make a file without registries, not the stock one.
    assert registries_conf(SOURCES[3:]) == REGISTRIES.split("\n[[registry]]")[0]


def test_registries_conf_is_toml() -> None:
    tomllib = pytest.importorskip("tomllib")
    assert tomllib.loads(registries_conf(())) == {"unqualified-search-registries": []}
    assert [registry.get("blocked", False) for registry in tomllib.loads(registries_conf(SOURCES))["registry"]] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("quay.io/a/b:1", PullSpec("quay.io/a/b", "1")),
        ("quay.io/a/b@sha256:00", PullSpec("quay.io/a/b", "", "sha256:00")),
        ("reg:5000/a/b:1@sha256:00", PullSpec("reg:5000/a/b", "", "sha256:00")),
        ("reg:5000/a/b:1", PullSpec("reg:5000/a/b", "1")),
        ("reg:5000/a", PullSpec("reg:5000/a")),
        ("name", PullSpec("name")),
    ],
)
def test_image_names(text: str, expected: PullSpec) -> None:
    assert PullSpec.parse(text) == expected


@pytest.mark.parametrize(
    ("image", "sources", "mirror"),
    [
        (RELEASE, SOURCES, "reg.example:5000/ocp/release:4.22.0-x86_64"),
        ("quay.io/openshift-release-dev/ocp-release@sha256:00", SOURCES, "reg.example:5000/ocp/release@sha256:00"),
        ("quay.io/other/ocp-release:1", SOURCES, ""),
        (RELEASE, (), ""),
        # A registry with a port, which the installer never matches.
        ("reg:5000/ocp/release:1", (ImageDigestSource("reg:5000/ocp/release", ("m/r",)),), "m/r:1"),
    ],
)
def test_mirror_of_the_release_image(image: str, sources: tuple[ImageDigestSource, ...], mirror: str) -> None:
    assert release_mirror(image, sources) == mirror


def test_public_registries() -> None:
    assert public_registries(()) == "quay.io"
    assert public_registries((*SOURCES, ImageDigestSource("reg:5000/x", ("y",)))) == "quay.io,reg:5000"


def test_certificates_are_encoded_afresh_without_the_text_between() -> None:
    body = "QUJD" * 40
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    pem = "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
    odd = (
        f"# a comment\r\n-----BEGIN CERTIFICATE-----\r\n  {body[:80]}\r\n {body[80:]}\r\n-----END CERTIFICATE-----\r\n"
    )
    assert encode_certificates(odd + pem) == pem + pem
    assert encode_certificates("") == ""
    # As the installer, which takes any block that holds a certificate and keeps its label.
    older = pem.replace("CERTIFICATE", "X509 CERTIFICATE")
    assert encode_certificates(older + pem) == older + pem
