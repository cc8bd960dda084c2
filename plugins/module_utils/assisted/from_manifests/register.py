# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``assisted_manifests``: create or update the cluster and the InfraEnv that manifests describe, then
configure the hosts until all are configured or the timeout ends.

Existing objects are found by name and compared. A difference that the service cannot change fails the task before
anything is written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...common.errors import PartialFailure, ZeroTouchError
from ...common.parallel import Outcome, for_each
from ...common.retry_policies import REGISTRATION_LOOKS
from ...common.secrets import secret_values
from ...common.waiting import Deadline, ProgressLines, turns
from ..change import ServiceChange
from ..cluster import run as clusters
from ..cluster.desired import DesiredServiceCluster
from ..infra_env import run as infra_envs
from ..infra_env.plan import plan_present
from ..lookup import only_one
from ..records import infra_env_record
from ..rest.client import Document
from ..rest.faults import AssistedError
from ..rest.patience import patiently
from ..rest.service import AssistedService
from .cluster import ManifestRelease, requested_cluster
from .host_config import HostSettings, from_hosts, read_host_config
from .hosts import ConfiguredHostPlan, HostsPlan, plan_hosts
from .infra_env import requested_infra_env
from .read import Manifests, read_manifests
from .release import release_of
from .running_cluster import ImportedCluster, parse_running_cluster, read_cluster_config

_NOT_YET = "that of the cluster, which is not there yet"


@dataclasses.dataclass(frozen=True)
class RegistrationRequest:
    """``cluster`` is the release of the cluster in the manifests, or the running one that gets hosts."""

    manifests: Manifests = dataclasses.field(repr=False)
    cluster: ManifestRelease | ImportedCluster
    settings: HostSettings = dataclasses.field(default_factory=HostSettings)
    image_type: str = "full-iso"

    def secrets(self) -> set[str]:
        """What must appear in no output."""
        documents = [
            {"pull_secret": self.manifests.pull_secret},
            dict(self.manifests.agent_cluster_install),
            dict(self.manifests.infra_env),
        ]
        return secret_values(documents) | self.settings.secrets

    def requested_cluster(self) -> DesiredServiceCluster:
        return (
            self.cluster.requested()
            if isinstance(self.cluster, ImportedCluster)
            else requested_cluster(self.manifests, self.cluster)
        )


def read_request(config_dir: Path, options: Mapping[str, Any]) -> RegistrationRequest:
    """The request in a module's options and the files that they name.

    Raises :class:`InvalidInput` with everything that is wrong.
    """
    wanted = options.get("import_cluster")
    manifests = read_manifests(config_dir, with_cluster=not wanted)
    if wanted:
        files = read_cluster_config(Path(wanted["config_dir"])) if wanted.get("config_dir") else {}
        cluster: ManifestRelease | ImportedCluster = parse_running_cluster(wanted, files)
    else:
        cluster = release_of(manifests, options.get("openshift_version") or "", options.get("arch") or "")
    directory = options.get("host_config_dir")
    settings = read_host_config(Path(directory)) if directory else from_hosts(options.get("hosts") or ())
    return RegistrationRequest(manifests, cluster, settings, options["image_type"])


@dataclasses.dataclass(frozen=True)
class Manner:
    """``timeout`` is how long to wait for hosts in seconds, 0 to look once; ``check_mode`` is the check mode of the
    service client.
    """

    check_mode: bool = False
    timeout: float = 0.0
    forks: int = 8
    tell: Callable[[str], None] = lambda line: None


@dataclasses.dataclass(frozen=True)
class RegistrationResult:
    """``value`` is what the module returns, ``changes`` those of cluster, InfraEnv and hosts."""

    value: dict[str, Any]
    changes: Sequence[ServiceChange] = ()
    warnings: Sequence[str] = ()


def register(service: AssistedService, request: RegistrationRequest, manner: Manner) -> RegistrationResult:
    """Bring the service to what the request says, or only tell it in check mode.

    Raises :class:`InvalidInput` for what the service cannot change, before anything is written, and
    :class:`PartialFailure` with the whole result where some of it failed, a host refuses its configuration, or hosts
    are missing after the wait.
    """
    requested = request.requested_cluster()
    predicted = clusters.make_present(service, requested, check_mode=True)
    cluster_id = str(predicted.value["cluster"]["id"])
    observed = only_one(service.infra_envs(), "InfraEnv", request.manifests.infra_env_name)
    bound = cluster_id or (None if observed is None else _NOT_YET)
    changes = plan_present(
        requested_infra_env(request.manifests, cluster_id=bound, image_type=request.image_type), observed
    )
    cluster, infra_env, warnings = predicted, observed, list(predicted.warnings)
    if not manner.check_mode:
        cluster = clusters.make_present(service, requested, check_mode=False)
        applied = _apply(service, request, observed, cluster)
        infra_env, warnings = applied.infra_env, [*cluster.warnings, *applied.warnings]
    lines = [*cluster.value["plan"], *(change.text() for change in changes)]
    shown = infra_env_record(infra_env) if infra_env else {"id": "", "name": request.manifests.infra_env_name}
    result = {
        "changed": bool(lines),
        "plan": lines,
        "cluster": cluster.value["cluster"],
        "infra_env": shown,
        "hosts": [],
        "missing": [],
        "unknown": [],
    }
    everything = (*predicted.changes, *changes)
    if infra_env is None:
        result["missing"] = list(plan_hosts((), request.settings).missing)
        return RegistrationResult(result, everything, warnings)
    hosts = _Hosts(service, request.settings, manner, result)
    value = hosts.see_to(str(shown["id"]))
    return RegistrationResult(value, (*everything, *hosts.changes), warnings)


def _apply(
    service: AssistedService, request: RegistrationRequest, observed: Document | None, cluster: clusters.ClusterResult
) -> infra_envs.Applied:
    """The InfraEnv as described, now that it is known which cluster it belongs to."""
    requested = requested_infra_env(
        request.manifests, cluster_id=str(cluster.value["cluster"]["id"]), image_type=request.image_type
    )
    changes = plan_present(requested, observed)
    try:
        return infra_envs.carry_out(service, requested, changes, observed)
    except ZeroTouchError as error:
        lines = [*cluster.value["plan"], *(change.text() for change in changes)]
        raise PartialFailure(str(error), {**cluster.value, "plan": lines}) from error


class _Hosts:
    """Hosts of an InfraEnv, looked at and patched until they are as configured or the time is over; keeps the module's
    result up to date.
    """

    def __init__(
        self, service: AssistedService, settings: HostSettings, manner: Manner, result: dict[str, Any]
    ) -> None:
        self.service = service
        self.settings = settings
        self.manner = manner
        self.result = result
        self.before = list(result["plan"])
        self.changed: dict[str, list[str]] = {}
        self.changes: list[ServiceChange] = []
        self._lines = ProgressLines(service.clock, manner.tell, timed=False)

    def see_to(self, infra_env_id: str) -> dict[str, Any]:
        deadline = Deadline(self.service.clock, self.manner.timeout)
        hosts, problems = HostsPlan((), (), ()), dict[str, str]()
        for _turn in turns(deadline, REGISTRATION_LOOKS):
            seen = self._look(infra_env_id, deadline)
            if seen is None:
                continue
            hosts = plan_hosts(seen, self.settings)
            problems = {host.host_id: host.problem for host in hosts.hosts if host.problem} | self._patch(hosts)
            self._note(hosts, problems)
            if self.manner.check_mode or not (hosts.missing or problems):
                break
            if not deadline.passed():
                waiting = [*hosts.missing, *(host.name for host in hosts.hosts if host.host_id in problems)]
                self._tell(f"waiting for hosts: {', '.join(waiting)}")
        if not self.manner.check_mode and (problems or (hosts.missing and self.manner.timeout)):
            raise PartialFailure(_complaint(hosts, problems), self.result)
        return self.result

    def _look(self, infra_env_id: str, deadline: Deadline) -> list[Document] | None:
        """The hosts; None while the service does not answer, which is an error once the deadline has passed."""
        seen = None if deadline.passed() else patiently(lambda: self.service.hosts(infra_env_id), self._tell)
        return self.service.hosts(infra_env_id) if seen is None and deadline.passed() else seen

    def _tell(self, line: str) -> None:
        """On change, and again after a minute."""
        self._lines.repeat("", line)

    def _patch(self, hosts: HostsPlan) -> dict[str, str]:
        """Host id -> why the service refuses it. Any other error is raised, with what was done until then."""
        work = [host for host in hosts.hosts if host.body]
        if self.manner.check_mode:
            self.changed = {host.host_id: list(host.changes) for host in work}
            self.changes = [_change(host) for host in work]
            return {}

        def one(host: ConfiguredHostPlan) -> Document:
            return self.service.update_host(host.infra_env_id, host.host_id, host.body)

        refused: dict[str, str] = {}
        outcomes: Sequence[Outcome[ConfiguredHostPlan, Document]] = for_each(work, one, self.manner.forks)
        for outcome in outcomes:
            if outcome.error is None:
                self.changed.setdefault(outcome.item.host_id, []).extend(outcome.item.changes)
                self.changes.append(_change(outcome.item))
        self._note(hosts, {})
        for outcome in outcomes:
            error = outcome.error
            if isinstance(error, AssistedError) and error.status not in (401, 403):
                refused[outcome.item.host_id] = f"failed to update {' and '.join(outcome.item.changes)}: {error.reason}"
            elif isinstance(error, ZeroTouchError):
                raise PartialFailure(f"{outcome.item.name}: {error}", self.result) from error
            elif error is not None:
                raise error
        return refused

    def _note(self, hosts: HostsPlan, problems: dict[str, str]) -> None:
        self.result["hosts"] = [
            {
                "id": host.host_id,
                "name": host.name,
                "expected": host.expected,
                "changes": self.changed.get(host.host_id, []),
                "problem": problems.get(host.host_id, ""),
            }
            for host in hosts.hosts
        ]
        lines = [
            f"update host {host.name}: {'; '.join(self.changed[host.host_id])}"
            for host in hosts.hosts
            if host.host_id in self.changed
        ]
        plan = [*self.before, *lines]
        self.result.update(missing=list(hosts.missing), unknown=list(hosts.unknown), plan=plan, changed=bool(plan))


def _change(host: ConfiguredHostPlan) -> ServiceChange:
    return ServiceChange("update", f"host {host.name}", host.body, host.differences)


def _complaint(hosts: HostsPlan, problems: dict[str, str]) -> str:
    lines = [f"{host.name}: {problems[host.host_id]}" for host in hosts.hosts if host.host_id in problems]
    lines += [f"{name}: not registered" for name in hosts.missing]
    lines += [f"{name}: registered, but not in the configuration" for name in hosts.unknown]
    return "\n".join(["These hosts differ from the configuration:", *lines])
