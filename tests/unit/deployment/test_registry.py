# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test access to image registries: pull specifications, mirrors, the logins of a pull secret, and the digest of a
received manifest.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import DIRECT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.tls import Tls
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment import registry
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.registry import (
    ImagePlace,
    Refused,
    check_image,
    from_mirrors,
    login_of,
)

RELEASE = ImagePlace("quay.io", "openshift-release-dev/ocp-release", "sha256:" + "a" * 64)


@pytest.mark.parametrize(
    ("text", "image"),
    [
        (RELEASE.text, RELEASE),
        ("quay.io/a/b:4.22.0-x86_64", ImagePlace("quay.io", "a/b", "4.22.0-x86_64")),
        ("registry:5000/a", ImagePlace("registry:5000", "a", "latest")),
        ("localhost/a:b@sha256:0", ImagePlace("localhost", "a", "sha256:0")),
    ],
)
def test_pull_specifications(text: str, image: ImagePlace) -> None:
    assert ImagePlace.parse(text) == image


@pytest.mark.parametrize("text", ["", "a", "a/b", "quay.io/", "quay.io"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not registry"):
        ImagePlace.parse(text)


def test_mirrors_take_the_place_of_their_source() -> None:
    sources = [
        ("quay.io/openshift-release-dev", ["mirror:5000/ocp", "second.example.com/x"]),
        ("quay.io/openshift", ["no.example.com/x"]),
    ]
    found = [image.text for image in from_mirrors(RELEASE, sources)]
    assert found == [
        f"{place}/ocp-release@{RELEASE.reference}" for place in ("mirror:5000/ocp", "second.example.com/x")
    ]
    assert from_mirrors(RELEASE, sources[1:]) == [RELEASE]


def secret(**auths: str) -> str:
    return json.dumps(
        {
            "auths": {
                name.replace("_", "/"): {"auth": base64.b64encode(login.encode()).decode()}
                for name, login in auths.items()
            }
        }
    )


@pytest.mark.parametrize(
    ("pull_secret", "login"),
    [
        (secret(**{"quay.io": "a:b"}), "a:b"),
        (secret(**{"quay.io": "a:b", "quay.io/openshift-release-dev": "c:d"}), "c:d"),
        (secret(**{"registry.redhat.io": "a:b"}), ""),
        ("", ""),
        ("no json", ""),
        ('{"auths": {"quay.io": {"auth": "%%%"}}}', ""),
        ('{"auths": {"quay.io": 7}}', ""),
        ("[]", ""),
    ],
)
def test_logins(pull_secret: str, login: str) -> None:
    assert login_of(RELEASE, pull_secret) == login


MANIFEST = b'{"schemaVersion": 2, "layers": []}'
SHA256, SHA512 = (f"{name}:{hashlib.new(name, MANIFEST).hexdigest()}" for name in ("sha256", "sha512"))
OTHER = "sha256:" + "b" * 64


def sent(monkeypatch: pytest.MonkeyPatch, *answers: Response) -> list[dict[str, Any]]:
    """Registries send these answers, one after the other; the headers that they got."""
    left, seen = list(answers), []

    def request(client: object, method: str, path: str, headers: dict[str, Any]) -> Response:
        seen.append({"path": path, **headers})
        return left.pop(0)

    monkeypatch.setattr(registry.HttpClient, "request", request)
    return seen


@pytest.mark.parametrize(
    ("reference", "header", "body", "refusal"),
    [
        ("4.22.0", SHA256, MANIFEST, ""),
        ("4.22.0", SHA512, MANIFEST, ""),
        ("4.22.0", "", MANIFEST, ""),
        (SHA256, SHA256, MANIFEST, ""),
        (SHA512, "", MANIFEST, ""),
        ("4.22.0", OTHER, MANIFEST, f"the manifest that it sends for a/b 4.22.0 has another digest than {OTHER}"),
        ("4.22.0", SHA256, MANIFEST + b" ", f"has another digest than {SHA256}"),
        ("4.22.0", SHA256.upper(), MANIFEST, "has another digest than SHA256:"),
        ("4.22.0", "md5:0", MANIFEST, "has another digest than md5:0"),
        (OTHER, SHA256, MANIFEST, f"has another digest than {OTHER}"),
        (OTHER, "", MANIFEST, f"has another digest than {OTHER}"),
        ("4.22.0", "", b"<html>a portal</html>", "is no manifest"),
        ("4.22.0", "", b"", "is no manifest"),
        ("4.22.0", "", b"[]", "is no manifest"),
        ("4.22.0", "", b'{"errors": []}', "is no manifest"),
    ],
)
def test_the_digest_is_that_of_what_was_received(
    monkeypatch: pytest.MonkeyPatch, reference: str, header: str, body: bytes, refusal: str
) -> None:
    sent(monkeypatch, Response(200, {"docker-content-digest": header} if header else {}, body))
    image = ImagePlace("registry.example.com", "a/b", reference)
    if not refusal:
        assert check_image(image, "", Tls(), DIRECT) == SHA256
        return
    with pytest.raises(Refused) as refused:
        check_image(image, "", Tls(), DIRECT)
    assert refusal in str(refused.value)


def test_a_token_is_asked_for_with_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    challenge = Response(
        401, {"www-authenticate": ('Bearer realm="https://auth.example.com/token",service="registry.example.com"')}, b""
    )
    seen = sent(monkeypatch, challenge, Response(200, {}, b'{"token": "abc"}'), Response(200, {}, MANIFEST))
    assert check_image(ImagePlace("registry.example.com", "a/b", "c"), "user:word", Tls(), DIRECT) == SHA256
    basic = base64.b64encode(b"user:word").decode()
    assert [request.get("Authorization") for request in seen] == [None, f"Basic {basic}", "Bearer abc"]
