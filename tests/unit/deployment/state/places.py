# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run remote stores for the tests of the deployment's state, over real sockets: a Secret on a hub, and a document on a
web server.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import DIRECT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import HOLD
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import encryption
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.keeper import LeaseKeeper
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import keys_of, open_store
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.run import PlaybookRun, this_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.session import StoreSession
from ansible_collections.zerotouch.openshift.tests.support import document_server
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub import infra as infrahub
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver

PASSPHRASE = "correct horse battery"
# Tests derive many keys: the least cost that is accepted.
CHEAP = encryption.Cost(n=1 << 14, r=8, p=1)
SECRET = ("secrets", "lab", "zerotouch-openshift-demo")


def run(number: int = 1, **changes: Any) -> PlaybookRun:
    return dataclasses.replace(
        PlaybookRun(f"{number:032x}", f"control-{number}", f"boot-{number}", 100 + number, 0), **changes
    )


def holds_lease(of: LeaseKeeper | StoreSession) -> bool:
    """Whether tasks of this run may write to machines, as ``common/store_link.py`` decides it."""
    keeper = of if isinstance(of, LeaseKeeper) else of._keeper
    return keeper._elapsed() - keeper.confirmed <= HOLD


class Place:
    """One store, with what tests do to it behind the back of a run."""

    method = ""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = Clock(1000.0)
        self.options = StateOptions()

    def store(self, clock: Clock | None = None) -> Any:
        return open_store(self.options, cluster="demo", clock=clock or self.clock, connect_to=DIRECT)

    def session(
        self, root: Path, who: PlaybookRun | None = None, *, passphrase: str | None = None, clock: Clock | None = None
    ) -> Any:
        options = self.options if passphrase is None else dataclasses.replace(self.options, passphrase=passphrase)
        keys = _keys(options)
        clock = clock or self.clock
        root.mkdir(mode=0o700, exist_ok=True)
        made = StoreSession(self.store(clock), keys, "demo", root, who or this_run(root), "boot_hosts", clock)
        made._keeper = LeaseKeeper(made._store, made._run, "boot_hosts", clock, clock.now)
        return made

    def directory(self, name: str) -> Path:
        """A work directory of another container."""
        return self.root / name

    def close(self) -> None:
        """Stop servers."""


class SecretPlace(Place):
    method = "secret"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.hub = infrahub.InfraHub()
        self.options = StateOptions("secret", connection={"kubeconfig": self.hub.kubeconfig}, namespace="lab")

    def close(self) -> None:
        self.hub.stop()

    @property
    def bytes(self) -> bytes:
        return json.dumps(self.hub.objects.get(SECRET), sort_keys=True).encode()

    def damage(self) -> None:
        self.hub.change(SECRET[2], plural="secrets", data={"state": "AAAA"})

    def touch(self) -> None:
        """Another tool changes metadata."""
        self.hub.change(SECRET[2], plural="secrets", metadata={"labels": {"backup": "daily"}})

    def delete(self) -> None:
        self.hub.remove(SECRET[2], plural="secrets")

    def fail(self, count: int, verb: str, what: str) -> None:
        """The first ``count`` reads or writes end so: ``500``, ``cut``, ``cut after``, ``403``, ``404``."""
        if what.isdigit():
            answer: Any = (
                int(what),
                {},
                {"kind": "Status", "message": f"{what} on request", "reason": "", "code": int(what)},
            )
        else:
            answer = what
        for each in ("get",) if verb == "read" else ("patch", "create"):
            self.hub.faults.append(hubserver.times(count, each, answer))

    def heal(self) -> None:
        self.hub.faults.clear()


class HttpPlace(Place):
    method = "http"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.server = document_server.DocumentServer()
        headers = {"Authorization": "Bearer token-of-the-store"}
        self.options = StateOptions("http", passphrase=PASSPHRASE, url=self.server.url, headers=headers)

    def close(self) -> None:
        self.server.stop()

    @property
    def bytes(self) -> bytes:
        return self.server.document or b""

    def damage(self) -> None:
        self.server.document = self.bytes[:-7]

    def touch(self) -> None:
        """A migration of the server: the same document with another ETag."""
        self.server.etag = lambda content, old=self.server.etag: old(content)[:-1] + '-2"'  # type: ignore[method-assign, misc]

    def delete(self) -> None:
        self.server.documents.clear()

    def fail(self, count: int, verb: str, what: str) -> None:
        answer: Any = (int(what), {}, b"on request") if what.isdigit() else what
        self.server.faults.append(document_server.first(count, "GET" if verb == "read" else "PUT", answer))

    def heal(self) -> None:
        self.server.faults.clear()


@functools.cache
def _known_keys(passphrase: str) -> Any:
    # One derivation for all tests with this passphrase.
    return encryption.Keys(passphrase, CHEAP)


def _keys(options: StateOptions) -> Any:
    return None if keys_of(options) is None else _known_keys(options.passphrase)


PLACES: dict[str, Callable[[Path], Place]] = {"secret": SecretPlace, "http": HttpPlace}


def machines(**states: str) -> dict[str, Any]:
    """Section machines of a state."""
    return {
        name: {"state": state, "at": "2026-11-24T12:00:00Z", "method": "agent", "macs": []}
        for name, state in states.items()
    }
