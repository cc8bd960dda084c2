# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read from an image the files and settings that a guest must find in it. The lab's own decoder reads them: it shares
no code with the collection, and none with the guest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ztlab.live.ignition import parse
from ztlab.live.root import Root, parse_env
from ztlab.machine.initramfs import unpack

from ..integration.assisted_lab import running_service, scripted
from ..support.live_image import read_member
from .network import Relay

_RENDEZVOUS, _SERVICE = "/etc/assisted/rendezvous-host.env", "/usr/local/share/assisted-service/assisted-service.env"
_API = "/api/assisted-install/v2"


@dataclasses.dataclass(frozen=True)
class Expected:
    """``files``: path -> mode, size and SHA-256; ``environment`` is that of the assisted-service on the rendezvous
    host.
    """

    ignition_sha256: str
    files: Mapping[str, Mapping[str, Any]]
    environment: Mapping[str, str]


def of_iso(path: Path) -> Expected:
    """From the Ignition area of an ISO."""
    return _expected(read_member(path, "images/ignition.img"))


def of_initrd(path: Path) -> Expected:
    """From an initrd with a config behind it."""
    return _expected(path.read_bytes())


def _expected(archives: bytes) -> Expected:
    config = unpack(archives)["config.ign"]
    root = Root()
    root.files.clear()  # the guest's root file system ships none of the files that CoreOS has
    root.apply(parse(config))
    files = {
        path: {"mode": f"{node.mode:o}", "size": len(node.content), "sha256": hashlib.sha256(node.content).hexdigest()}
        for path, node in root.files.items()
    }
    environment = parse_env(root.text(_SERVICE) or "", quotes=False) | parse_env(
        root.text(_RENDEZVOUS) or "", quotes=False
    )
    return Expected(hashlib.sha256(config).hexdigest(), files, environment)


class Service:
    """The lab's assisted-service as the rendezvous host of an image would run it: with the keys and tokens of that
    image.
    """

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        cluster = self._call(
            "POST", "/clusters", scripted.single_node_params(machine_networks=[{"cidr": "10.0.2.0/24"}])
        )
        self._call(
            "POST", "/infra-envs", {"name": "ztvm", "pull_secret": scripted.PULL_SECRET, "cluster_id": cluster["id"]}
        )

    def hosts(self) -> dict[str, dict[str, Any]]:
        """Hosts by their id."""
        (infra_env,) = self._call("GET", "/infra-envs")
        return {host["id"]: host for host in self._call("GET", f"/infra-envs/{infra_env['id']}/hosts")}

    def inventory(self, uuid: str) -> dict[str, Any]:
        """What the agent of a host reported of it; empty before it did."""
        return dict(json.loads(self.hosts().get(uuid, {}).get("inventory") or "{}"))

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": self._token, "Content-Type": "application/json"}
        with urllib.request.urlopen(
            urllib.request.Request(self._url + _API + path, data, headers, method=method), timeout=60
        ) as answer:
            return json.load(answer)


@contextlib.contextmanager
def service_of(expected: Expected, relay: Relay) -> Iterator[Service]:
    """The service, to which the relay then leads. Only tokens that the image's key signed are taken."""
    own = {
        "EC_PUBLIC_KEY_PEM": expected.environment["EC_PUBLIC_KEY_PEM"],
        "INFRA_ENV_ID": "",
        "INSTALL_INVOKER": "",
        "DEPLOY_TARGET": "onprem",
    }
    own["ENABLE_UPGRADE_AGENT"] = "false"  # the agent of the guests has no image
    with running_service(speed=1.0, **own) as bench:
        host, port = bench.url.removeprefix("http://").split(":")
        relay.target = host, int(port)
        try:
            yield Service(bench.url, expected.environment["USER_AUTH_TOKEN"])
        finally:
            relay.target = None
