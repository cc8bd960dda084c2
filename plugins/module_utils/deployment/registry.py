# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether a container registry has an image and accepts a pull secret for it, and read the digest of that image.

Reads only.

Source: distribution/distribution docs/content/spec/auth/token.md; the manifests are those of the OCI distribution
specification.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from ..cluster.spec import Cluster
from ..common.connect import ConnectTo
from ..common.errors import ZeroTouchError
from ..common.http import HttpClient, Response
from ..common.tls import PemText, Tls
from ..manifests.mirrors import PullSpec

_TYPES = (
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json"
)
_PARAMETER = re.compile(r'(\w+)="([^"]*)"')
_TIMEOUT = 15.0
# Bytes of a manifest that registries accept (distribution/distribution registry/handlers/manifests.go).
_LARGEST = 4 << 20
_DIGEST_HEADER = "docker-content-digest"
# The algorithms of the image specification (opencontainers/image-spec descriptor.md).
_ALGORITHMS = ("sha256", "sha512")
# Names that Docker Hub has besides its own.
_HUB = {"docker.io": "registry-1.docker.io"}


class Refused(Exception):
    """The registry has no such image, or does not give it; the text says why."""


@dataclasses.dataclass(frozen=True)
class ImagePlace:
    """A pull specification: ``host`` with its port, ``repository``, and ``reference``, a tag or digest."""

    host: str
    repository: str
    reference: str

    @classmethod
    def parse(cls, text: str) -> ImagePlace:
        """Raises ValueError."""
        named = PullSpec.parse(text)
        host, _slash, repository = named.repository.partition("/")
        if not repository or not ("." in host or ":" in host or host == "localhost"):
            raise ValueError(f"{text!r} is not registry/repository:tag or registry/repository@digest")
        return cls(host, repository, named.digest or named.tag or "latest")

    @property
    def text(self) -> str:
        separator = "@" if ":" in self.reference else ":"
        return f"{self.host}/{self.repository}{separator}{self.reference}"


def from_mirrors(image: ImagePlace, sources: Sequence[tuple[str, Sequence[str]]]) -> list[ImagePlace]:
    """The places from which hosts pull an image: those of the mirrors whose source has its repository, else the image
    itself. ``sources``: source, mirrors.
    """
    name = f"{image.host}/{image.repository}"
    found = []
    for source, mirrors in sources:
        if name == source or name.startswith(f"{source}/"):
            for mirror in mirrors:
                host, _slash, repository = f"{mirror}{name.removeprefix(source)}".partition("/")
                found.append(ImagePlace(host, repository, image.reference))
    return found or [image]


def places_of(cluster: Cluster) -> list[ImagePlace]:
    """The places from which hosts pull the release image. Raises ValueError for a name that is none of an image."""
    return from_mirrors(
        ImagePlace.parse(cluster.release_image),
        [(source.source, source.mirrors) for source in cluster.image_digest_sources],
    )


def trust_of(ca_cert: str, trust_bundle: str) -> Tls:
    """Trust for servers outside of the rack: the system's, the user's CA, and that of the cluster's registries."""
    return Tls(ca_certs=(*([ca_cert] if ca_cert else []), *([PemText(trust_bundle)] if trust_bundle else [])))


def login_of(image: ImagePlace, pull_secret: str) -> str:
    """``user:password`` for an image: the entry of the longest path that has it (containers/image
    docs/containers-auth.json.5.md). Empty without one.
    """
    try:
        auths = json.loads(pull_secret or "{}").get("auths") or {}
    except (ValueError, AttributeError):
        return ""
    parts = [image.host, *image.repository.split("/")]
    for length in range(len(parts), 0, -1):
        entry = auths.get("/".join(parts[:length]))
        if isinstance(entry, Mapping) and isinstance(entry.get("auth"), str):
            try:
                return base64.b64decode(entry["auth"]).decode()
            except ValueError:
                return ""
    return ""


def check_image(image: ImagePlace, login: str, tls: Tls, connect_to: ConnectTo, *, timeout: float = _TIMEOUT) -> str:
    """The digest of the image's manifest, ``sha256:…``: that of the manifest which was received.

    ``timeout`` is that of one request.

    Raises :class:`Refused` unless the registry gives the manifest, and :class:`ZeroTouchError` where it cannot be
    asked.
    """
    host = _HUB.get(image.host, image.host)
    path = f"/v2/{image.repository}/manifests/{image.reference}"
    client = HttpClient(f"Registry {image.host}", f"https://{host}", tls, connect_to, timeout=timeout, largest=_LARGEST)
    client.secrets = frozenset(filter(None, (login, login.partition(":")[2])))
    try:
        answer = client.request("GET", path, headers={"Accept": _TYPES})
        if answer.status == 401:
            authorization = _authorization(answer, login, image, tls, connect_to, timeout)
            answer = client.request("GET", path, headers={"Accept": _TYPES, "Authorization": authorization})
    finally:
        client.close()
    if answer.status == 404:
        raise Refused(f"it has no {image.repository} {image.reference}")
    if answer.status in (401, 403):
        raise Refused(
            f"it refuses the login of the pull secret for {image.repository}"
            if login
            else "the pull secret has no login for it"
        )
    if answer.status != 200:
        raise Refused(f"it answers {answer.status}")
    return _digest(answer, image)


def _digest(answer: Response, image: ImagePlace) -> str:
    """The digest of the body, which must be that of the header and of the reference where these name one."""
    try:
        document = answer.json()
    except ValueError:
        document = None
    if not isinstance(document, Mapping) or "schemaVersion" not in document:
        raise Refused(f"what it sends for {image.repository} {image.reference} is no manifest")
    for expected in (answer.headers.get(_DIGEST_HEADER, ""), image.reference if ":" in image.reference else ""):
        algorithm = expected.partition(":")[0]
        received = f"{algorithm}:{hashlib.new(algorithm, answer.body).hexdigest()}" if algorithm in _ALGORITHMS else ""
        if expected and expected != received:
            named = expected[:140]
            raise Refused(
                f"the manifest that it sends for {image.repository} {image.reference} has another digest than {named}"
            )
    return f"sha256:{hashlib.sha256(answer.body).hexdigest()}"


def _authorization(
    challenge: Response, login: str, image: ImagePlace, tls: Tls, connect_to: ConnectTo, timeout: float
) -> str:
    """What the registry asks for: the login itself, or a token that its token server gives for the login."""
    asked = challenge.headers.get("www-authenticate", "")
    basic = f"Basic {base64.b64encode(login.encode()).decode()}"
    if not asked.lower().startswith("bearer"):
        if not login:
            raise Refused("the pull secret has no login for it")
        return basic
    challenged = dict(_PARAMETER.findall(asked[:2000]))
    realm = challenged.get("realm", "")
    # The login goes to the server that the registry names: over TLS only.
    if urlsplit(realm).scheme != "https":
        raise Refused(f"it names the token server {realm[:100]!r}, which is not an https URL")
    query = {"service": challenged.get("service", ""), "scope": f"repository:{image.repository}:pull"}
    server = HttpClient(f"Token server of {image.host}", realm, tls, connect_to, timeout=timeout)
    server.secrets = frozenset(filter(None, (login, login.partition(":")[2])))
    try:
        separator = "&" if urlsplit(realm).query else "?"
        answer = server.request(
            "GET", f"{realm}{separator}{urlencode(query)}", headers={"Authorization": basic} if login else {}
        )
    finally:
        server.close()
    if answer.status in (401, 403):
        raise Refused(
            "its token server refuses the login of the pull secret" if login else "the pull secret has no login for it"
        )
    return f"Bearer {_token(answer, image)}"


def _token(answer: Response, image: ImagePlace) -> str:
    try:
        document: Any = answer.json() if answer.status == 200 else None
    except ValueError:
        document = None
    token = (document.get("token") or document.get("access_token")) if isinstance(document, Mapping) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise ZeroTouchError(f"Token server of {image.host}: it answers {answer.status} without a token.")
    return token
