# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the secrets of a build back from its Ignition config."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition, data_url
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.embedded import embedded_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, complete_section

Build = Callable[..., LiveIgnition]
TOKENS = ("public_key", "agent_token", "user_token", "watcher_token")
NOT_IN_AN_IMAGE = ("kubeadmin_password", "admin_kubeconfig")


def kept(secrets: BuildSecrets) -> dict[str, Any]:
    return {
        key: value for key, value in json.loads(json.dumps(secrets.to_state())).items() if key not in NOT_IN_AN_IMAGE
    }


def test_all_that_an_image_holds_is_found(build: Build, secrets: BuildSecrets) -> None:
    assert embedded_secrets(build().encode()) == kept(secrets)


def test_a_release_without_tokens_is_found_without_them(build: Build, secrets: BuildSecrets) -> None:
    found = embedded_secrets(build(version="4.17.3").encode())
    assert found == {**kept(secrets), **dict.fromkeys(TOKENS, "")}
    own = {key: json.loads(json.dumps(secrets.to_state()))[key] for key in NOT_IN_AN_IMAGE}
    assert complete_section({**found, **own})


@pytest.mark.parametrize("lost", ["INFRA_ENV_ID", "USER_AUTH_TOKEN", "EC_PUBLIC_KEY_PEM"])
def test_an_image_that_lacks_a_part_returns_nothing(build: Build, lost: str) -> None:
    live = build()
    document = json.loads(live.encode())
    assert embedded_secrets(json.dumps(document).encode())
    for file in document["storage"]["files"]:
        if file["path"].endswith("assisted-service.env"):
            text = live.file(file["path"]).content.decode()  # type: ignore[union-attr]
            data = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(f"{lost}="))
            file["contents"]["source"] = data_url(data.encode())
    assert embedded_secrets(json.dumps(document).encode()) == {}


@pytest.mark.parametrize("config", [b"", b"{}", b"[]", b'{"storage": {"files": [{}]}}'])
def test_anything_else_returns_nothing(config: bytes) -> None:
    assert embedded_secrets(config) == {}
