# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send the same requests to two services and make their responses comparable: placeholders replace IDs and times."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from ztlab.clock import LabClock

from .scripted import Client, Keys, Machine, ScriptedAgent

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b(?!0001-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
# Fields that hold JSON in a string; they are compared decoded.
JSON_TEXTS = frozenset(
    (
        *(
            "validations_info",
            "feature_usage",
            "connectivity",
            "inventory",
            "ntp_sources",
            "disks_info",
            "images_status",
            "domain_name_resolutions",
        ),
        *(
            "free_addresses",
            "node_labels",
            "installer_args",
            "static_network_config",
            "kernel_arguments",
            "host-validation-ids",
            "cluster-validation-ids",
        ),
        *(
            "fencing_credentials",
            "connectivity_majority_groups",
            "ip_collisions",
            "api_vip_connectivity",
            "props",
            "ignored_host_validations",
        ),
        "ignored_cluster_validations",
    )
)
# Lists whose order says nothing, and by what they are put in one. Numbers that differ from run to run.
SORTED: Mapping[str, Callable[[Any], str]] = {
    "hosts": lambda host: str(host["id"]),
    "remote_hosts": lambda host: str(host["host_id"]),
    "host_ids": str,
    "192.0.2.0/24": str,
    "IPv4": str,
}
PASSING = frozenset(("timestamp", "step_id"))
SCHEMES = {
    "user": ("Authorization", "userAuth"),
    "agent": ("X-Secret-Key", "agentAuth"),
    "watcher": ("Watcher-Authorization", "watcherAuth"),
}
ALL = ("*",)
PROGRESS = (
    "total_percentage",
    "preparing_for_installation_stage_percentage",
    "installing_stage_percentage",
    "finalizing_stage_percentage",
    "finalizing_stage",
)


@dataclasses.dataclass
class Replay:
    """Calls a service as three personas and keeps what it answered, under names that scenarios give."""

    url: str
    keys: Keys
    clock: LabClock
    answers: dict[str, Any] = dataclasses.field(default_factory=dict)
    ids: dict[str, str] = dataclasses.field(default_factory=dict)
    clients: dict[str, Client] = dataclasses.field(default_factory=dict)

    async def __aenter__(self) -> Replay:
        for persona, (header, scheme) in SCHEMES.items():
            self.clients[persona] = await Client(self.url, {header: self.keys.token(auth_scheme=scheme)}).__aenter__()
        self.clients["unknown"] = await Client(self.url).__aenter__()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        for client in self.clients.values():
            await client.__aexit__()

    async def call(
        self,
        name: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        keep: Collection[str] = (),
        persona: str = "user",
        **options: Any,
    ) -> Any:
        """The decoded answer. ``name`` other than "" keeps code and body: of a success the members ``keep`` only, of a
        refusal all.
        """
        client = self.clients[persona]
        status, answer = await client.call(method, path, body, **options)
        if name:
            assert name not in self.answers, name
            kept = self.plain(chosen(answer, ALL if status >= 300 else keep))
            self.answers[name] = {"code": status, "body": {"octets": kept} if client.octets and status >= 400 else kept}
        return answer

    def known(self, name: str, identifier: str) -> str:
        """From here on the id is shown under this name."""
        self.ids[identifier] = f"<{name}>"
        return identifier

    def note(self, name: str, value: Any) -> None:
        assert name not in self.answers, name
        self.answers[name] = self.plain(value)

    def plain(self, value: Any, key: str = "") -> Any:
        """``value`` without what differs from run to run."""
        if isinstance(value, bytes):
            return self.plain(value.decode(errors="replace"))
        if isinstance(value, Mapping):
            return {
                self.plain(name): self.plain(item, str(name)) for name, item in value.items() if name not in PASSING
            }
        if isinstance(value, (list, tuple)):
            found = [self.plain(item) for item in value]
            return sorted(found, key=SORTED[key]) if key in SORTED else found
        if not isinstance(value, str):
            return value
        if key in JSON_TEXTS and value[:1] in ("{", "["):
            decoded = json.loads(value)
            return {"json": self.plain(verdicts(decoded) if key == "validations_info" else decoded)}
        return DIGEST.sub(
            "<digest>",
            TIME.sub("<time>", ADDRESS.sub("<service>", UUID.sub(lambda found: self.ids.get(found[0], "<id>"), value))),
        )

    def agent(self, machine: Machine, infra_env_id: str, **options: Any) -> ScriptedAgent:
        return ScriptedAgent(self.clients["agent"], machine, self.clock, infra_env_id=infra_env_id, **options)


def verdicts(found: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Validations by their ids."""
    return {
        category: {item["id"]: [item["status"], item["message"]] for item in items} for category, items in found.items()
    }


def chosen(answer: Any, keep: Collection[str]) -> Any:
    """The members of an object, or of each object of a list, that are to be compared."""
    if isinstance(answer, list):
        return [chosen(item, keep) for item in answer] if keep else None
    if not isinstance(answer, Mapping):
        return (answer or None) if keep else None
    if "*" in keep:
        return answer
    return {name: answer.get(name) for name in keep} if keep else None


def differences(theirs: Any, ours: Any, path: str = "") -> list[str]:
    """Where two plain values differ, as ``path: theirs | ours``."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        found = []
        for name in sorted({*theirs, *ours}):
            found += differences(theirs.get(name), ours.get(name), f"{path}.{name}")
        return found
    if (
        isinstance(theirs, Sequence)
        and isinstance(ours, Sequence)
        and not isinstance(theirs, str)
        and not isinstance(ours, str)
        and len(theirs) == len(ours)
    ):
        return [
            text
            for index, pair in enumerate(zip(theirs, ours, strict=True))
            for text in differences(*pair, f"{path}[{index}]")
        ]
    return [] if theirs == ours else [f"{path}: {json.dumps(theirs)} | {json.dumps(ours)}"]


async def until(replay: Replay, path: str, *wanted: str, seen: list[Any] | None = None) -> dict[str, Any]:
    """The cluster or host once its status is one of these; what its progress was meanwhile goes to ``seen``."""
    deadline = replay.clock.now() + 400
    while True:
        found: dict[str, Any] = await replay.call("", "GET", path)
        step = [
            found["status"],
            found["status_info"],
            {name: (found.get("progress") or {}).get(name) for name in PROGRESS},
        ]
        if seen is not None and (not seen or seen[-1] != step):
            seen.append(step)
        if found["status"] in wanted:
            return found
        assert replay.clock.now() < deadline, (
            path,
            found["status"],
            found["status_info"],
            found.get("validations_info"),
        )
        await asyncio.sleep(0.1)


Scenario = Callable[[Replay], Awaitable[None]]
