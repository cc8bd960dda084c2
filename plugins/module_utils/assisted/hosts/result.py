# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the result of module ``assisted_hosts``: one record for each host, also if some hosts failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.errors import PartialFailure
from ..change import ServiceChange
from ..records import host_record, validation_rows
from ..rest.client import Document
from .plan import ServiceHostPlan
from .waits import Target, wait_status

_SHOWN = ("id", "infra_env_id", "cluster_id", "hostname", "role", "status", "installation_disk_id")


@dataclasses.dataclass
class HostsAccount:
    """For each host name: the changes that were made, and why the host is not in the desired state."""

    done: dict[str, list[ServiceChange]]
    failed: dict[str, str]


def hosts_result(
    plans: Sequence[ServiceHostPlan],
    account: HostsAccount,
    wait_for: Target,
    *,
    predicted: bool = False,
    seen: Mapping[str, Document] | None = None,
) -> tuple[dict[str, Any], list[ServiceChange]]:
    """The result and all changes; ``predicted`` (check mode): those of the plan, and what a run would wait for is no
    failure.

    Raises :class:`PartialFailure` with the result where a host is not as described.
    """
    records: list[dict[str, Any]] = []
    lines: list[str] = []
    every: list[ServiceChange] = []
    for plan in plans:
        changes = list(plan.changes) if predicted else account.done[plan.request.name]
        if plan.refused and predicted:
            changes = []
        waited_for = predicted and wait_for != "none"
        reason = account.failed.get(plan.request.name) or ("" if waited_for else wait_status(plan, wait_for).reason)
        every += changes
        lines += [change.text() for change in changes]
        lines += [f"wait for host {plan.request.name}: {plan.waiting}"] if waited_for and plan.waiting else []
        records.append(_record(plan, changes, reason, seen or {}))
    result = {
        "changed": bool(every),
        "plan": lines,
        "hosts": records,
        "unmatched": [
            {"name": plan.request.name, "reason": plan.match.reason}
            for plan in plans
            if plan.match.status == "unmatched"
        ],
        "ambiguous": [
            {
                "name": plan.request.name,
                "hosts": [each.id for each in plan.match.candidates],
                "reason": plan.match.reason,
            }
            for plan in plans
            if plan.match.status == "ambiguous"
        ],
    }
    failures = [record for record in records if record["failed"]]
    if failures:
        words = "\n".join(f"{record['name']}: {record['reason']}" for record in failures)
        raise PartialFailure(f"{len(failures)} of {len(records)} hosts are not as described.\n{words}", result)
    return result, every


def _record(
    plan: ServiceHostPlan, changes: Sequence[ServiceChange], reason: str, seen: Mapping[str, Document]
) -> dict[str, Any]:
    host = plan.host
    now = seen.get(str((host or {}).get("id"))) or host
    record = host_record(now) if now else {}
    failing = [
        {key: row[key] for key in ("id", "status", "message")}
        for row in validation_rows([now] if now else [], "host", all_of_them=False)
    ]
    return {
        **{key: record.get(key, "") for key in _SHOWN},
        "name": plan.request.name,
        "by": plan.match.by if host else "",
        "note": plan.match.reason if host else "",
        "changed": bool(changes),
        "changes": [change.text() for change in changes],
        "failed": bool(reason),
        "reason": reason or plan.waiting,
        "validations": failing,
    }
