# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that configurations of mirror registries that cannot be parsed are refused with upstream's errors. The recorded
scenes test valid ones.
"""

from __future__ import annotations

import pytest
from ztlab.hub.capi.assisted.mirrors import Invalid, mirror_manifests, read_mirrors

REGISTRY = '[[registry]]\nlocation = "quay.io/a"\n'
MIRROR = '[[registry.mirror]]\nlocation = "mirror.example.com/a"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[registry", "incorrectly formatted toml"),
        ("", "failed to find registry key"),
        ('registry = "a"', "failed to find registry key"),
        ("[[registry]]\n" + MIRROR, "missing registry location"),
        (REGISTRY, "missing registry.mirror"),
        (REGISTRY + "[[registry.mirror]]\nlocation = 1\n", "is not a string"),
    ],
)
def test_what_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read_mirrors(text)


def test_a_config_map_without_the_key() -> None:
    with pytest.raises(Invalid, match="failed to find registry key"):
        mirror_manifests({"ca-bundle.crt": "x"})


def test_certificates_and_insecure_mirrors_have_an_image_config() -> None:
    plain = {"registries.conf": REGISTRY + MIRROR}
    assert set(mirror_manifests(plain)) == {"image-digest-mirror-set.json"}
    insecure = mirror_manifests({"registries.conf": REGISTRY + MIRROR + "insecure = true\n"})
    assert '"insecureRegistries":["mirror.example.com/a"]' in insecure["image-config.json"]
    trusted = mirror_manifests({**plain, "ca-bundle.crt": "x"})
    assert set(trusted) == {
        "image-digest-mirror-set.json",
        "additional-registry-certificate.json",
        "image-config.json",
    }
