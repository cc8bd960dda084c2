# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the module ``assisted_deployment`` step by step.

Check the input, observe, decide, create or change cluster and InfraEnv, and provide the image. Also delete what was
created, and check whether it may be deleted.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ...assisted.cluster.desired import DesiredServiceCluster
from ...assisted.rest.connection import ASSISTED_OPTIONS, connect
from ...assisted.rest.service import AssistedService
from ...bmc.hosts import BmcOptions
from ...boot.inspection import inspect_all
from ...boot.requests import boot_requests
from ...cluster.release import default_release_image
from ...common.clock import Clock
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.lock import one_run
from ...common.opened import Opened
from ...common.tls import Tls
from ..agent.resume import Decision
from ..hub.timeline import hub_section
from ..safety.gate import print_not_checked, record_permission
from ..safety.gather import decide as judge_hosts
from ..safety.options import Touch, read_touch
from ..safety.result import plan_lines
from ..safety.table import START_OVER
from ..state.work_dir import WorkDir
from ..stop_reason import message_of
from ..supervise.observation import Observation
from ..supervise.timeline import SECTION
from .find import METHOD, Found, Known, find, remember
from .image import Fetcher, Image, image_url
from .objects import Maker, Objects, recorded
from .observer import AssistedObserver
from .resume import decide_additions, decide_installation
from .session import AssistedRequest, DeploymentSession, open_session

MODULE_NAME = "assisted_deployment"


def ensure_present(request: AssistedRequest, call: Opened) -> dict[str, Any]:
    """Cluster, InfraEnv and image are as the deployment says, and it is known which hosts have to be booted; the
    module's result.

    Raises :class:`InvalidInput` with every problem of the input, :class:`PartialFailure` with what was done.
    """
    with contextlib.nullcontext() if call.check_mode else one_run(request.work_dir.root, MODULE_NAME, call.clock):
        session, problems = open_session(request, call)
        observer = session.observer()
        try:
            result = _Presence(session, observer).run()
        finally:
            observer.close()
            session.service.close()
        return {**result, "problems": [problem.as_dict() for problem in problems]}


class _Presence:
    """One run that makes or changes what the service has."""

    def __init__(self, session: DeploymentSession, observer: AssistedObserver) -> None:
        self.session, self.call, self.observer = session, session.call, observer
        self.maker = Maker(session.service, session.work_dir, session.call.check_mode)

    @property
    def _phase(self) -> str:
        return str(self.session.work_dir.state.section(SECTION).get("phase") or "")

    def run(self) -> dict[str, Any]:
        session = self.session
        state = session.work_dir.state.read()
        seen = self.observer.observe(state)
        if session.request.purpose == "add":
            return self._add(seen)
        decision = decide_installation(seen, session.found, session.known, session.hosts, session.request.force)
        for note in decision.notes:
            self.call.warn(note)
        decision = self._permitted(decision)
        if decision.stop:
            return self._result(decision, recorded(session.found, session.name), [])
        if decision.state == "installed":
            return self._installed(decision)
        lines = self._start_over()
        objects = self._present(session.desired.cluster)
        lines += objects.lines
        self._note()
        waiting = [host.name for host in decision.hosts if host.action == "wait"]
        if waiting and any(
            change.verb == "update" and change.title.startswith("infra-env ") for change in objects.changes
        ):
            names = ", ".join(waiting)
            self.call.warn(
                f"The discovery image changed; {names} run the former one. openshift_force: [rebuild_image] boots "
                "them from the new one."
            )
        image, transfer = self._image(objects, needed=bool(decision.boot))
        lines += transfer + self.session.fetch_credentials(self.observer.cluster if not lines else {})
        return self._result(decision, objects, lines, image)

    def _permitted(self, decision: Decision) -> Decision:
        """The decision without hosts that must not be booted, or with the reason why nothing may be done; before
        anything is written anywhere.
        """
        call, session = self.call, self.session
        if decision.stop or not decision.boot:
            return decision
        provided = {str(host["name"]): host for host in call.params["media_hosts"]}
        requests = boot_requests(
            [provided[name] for name in decision.boot if name in provided], state_file=session.work_dir.state
        )
        machines = inspect_all(
            requests,
            BmcOptions(connect_to=session.connect_to, ca_cert=call.params["bmc_ca_cert"] or "", clock=call.clock),
            read_only=True,
        )
        connection = {name: call.params[name] for name in ASSISTED_OPTIONS} | {"cluster_id": session.found.cluster_id}
        touch = dataclasses.replace(self._touch(), hosts=session.hosts, assisted=connection)
        judgement, gathered = judge_hosts("boot", touch, machines, call.clock, decision.boot)
        print_not_checked(gathered.not_checked, call.progress)
        call.plan(plan_lines(judgement, gathered, "boot"))
        if judgement.stop:
            return dataclasses.replace(decision, stop=judgement.stop)
        if not call.check_mode:
            record_permission(touch, judgement)
        others = {verdict.host: verdict.reason for verdict in judgement.verdicts if not verdict.acts}
        hosts = (
            dataclasses.replace(host, action="skip", reason=others[host.name]) if host.name in others else host
            for host in decision.hosts
        )
        return dataclasses.replace(decision, hosts=tuple(hosts))

    def _touch(self) -> Touch:
        """Option ``touch``; without it the call's own arguments name the cluster, which confirms what it forces."""
        params, session = self.call.params, self.session
        if params["touch"]:
            return read_touch(params["touch"], params["connect_to"], ca_cert=session.ca_cert)
        name = session.name
        return Touch(
            METHOD,
            name,
            session.work_dir.root,
            frozenset({name}),
            frozenset(session.request.force),
            connect_to=session.connect_to,
        )

    def _start_over(self) -> list[str]:
        session = self.session
        if START_OVER not in session.request.force or (
            session.found.cluster is None and session.found.infra_env is None
        ):
            return []
        if session.found.adopted:
            raise ZeroTouchError(
                f"This work directory did not create cluster {session.name}.",
                "Delete it at the service, then run again.",
            )
        changes = self.maker.absent(session.found)
        session.found = Found()
        if not self.call.check_mode:
            with session.work_dir.state.edit() as document:
                document.pop(SECTION, None)
        return [change.text() for change in changes]

    def _present(self, cluster: DesiredServiceCluster) -> Objects:
        session = self.session
        spec = session.deployment.cluster
        if session.found.adopted and spec.release_image == default_release_image(spec.version, spec.architecture):
            # The release is not set, and its owner may take it from any registry.
            cluster = dataclasses.replace(
                cluster, params={name: value for name, value in cluster.params.items() if name != "ocp_release_image"}
            )
        try:
            objects = self.maker.present(session.found, cluster, session.desired.infra_env)
        except InvalidInput as error:
            if session.found.cluster is None or session.found.adopted:
                raise
            hint = "to delete the cluster and create it again: -e openshift_force=start_over with openshift_confirm"
            raise InvalidInput(
                [dataclasses.replace(problem, hint=problem.hint or hint) for problem in error.problems]
            ) from error
        for warning in objects.warnings:
            self.call.warn(warning)
        return objects

    def _note(self) -> None:
        """Who the cluster is, for the report and the next run."""
        if self.call.check_mode:
            return
        with self.session.work_dir.state.edit() as document:
            document["cluster"] = hub_section(self.session.deployment)
            section = document.setdefault(SECTION, {})
            section["method"] = METHOD
            section.setdefault("phase", "defined")

    def _installed(self, decision: Decision) -> dict[str, Any]:
        """What changed since has no effect; credentials that are missing come home."""
        session, cluster = self.session, self.observer.cluster
        if session.found.cluster is None:
            self.call.warn(
                f"The service no longer has cluster {session.name}; the cluster itself is installed and its API "
                "answers."
            )
            return self._result(decision, recorded(session.found, session.name), [])
        lines = session.fetch_credentials(cluster)
        self._tell_changes()
        if not self.call.check_mode:
            own_id = str(cluster.get("openshift_cluster_id") or "") or None
            ids = {
                "cluster_id": session.found.cluster_id,
                "infra_env_id": session.found.infra_env_id or None,
                "openshift_cluster_id": own_id,
            }
            remember(session.work_dir, **ids, adopted=session.found.adopted or None)
            self._note()
        return self._result(decision, recorded(session.found, session.name), lines)

    def _tell_changes(self) -> None:
        """What is described otherwise than it was installed."""
        try:
            later = Maker(self.session.service, self.session.work_dir, True).present(
                self.session.found, self.session.desired.cluster, None
            )
        except ZeroTouchError as error:
            self.call.warn(f"The cluster is installed; what changed since then has no effect on it. {error.message}")
        else:
            if later.changes:
                self.call.warn(
                    "The cluster is installed. These later changes of the configuration have no effect: "
                    f"{'; '.join(later.lines)}"
                )

    def _image(self, objects: Objects, *, needed: bool) -> tuple[Image, list[str]]:
        """Where BMCs get the image; before the InfraEnv exists a placeholder."""
        session, params = self.session, self.call.params
        name = f"{session.name}-discovery"
        directory = session.work_dir.root / "images"
        if not needed:
            return Image(""), []
        if not objects.infra_env_id or (self.call.check_mode and not objects.cluster_id):
            path = str(directory / f"{name}.iso") if session.request.publish else ""
            predicted = f"{session.service_url}/not-made-yet/discovery-image-of-{session.name}.iso"
            return Image(predicted, path), [f"transfer the discovery image to {path}"] if path else []
        url = image_url(session.service, objects.infra_env_id, session.name)
        if not session.request.publish:
            return Image(url), []
        tls = Tls(params["validate_certs"] is not False, (session.ca_cert,) if session.ca_cert else ())
        fetcher = Fetcher(directory, tls, session.connect_to, self.call.clock, self.call.progress, self.call.check_mode)
        image = fetcher.fetch(url, name, objects.infra_env_id, str(objects.infra_env.get("updated_at") or ""))
        return image, [f"transfer the discovery image to {image.path}"] if image.transferred else []

    # day 2

    def _add(self, seen: Observation) -> dict[str, Any]:
        session = self.session
        # Who belongs to the cluster is asked of its API.
        fetched = session.fetch_credentials(self.observer.cluster)
        if fetched and not self.call.check_mode:
            self.observer.credentials_changed()
            seen = self.observer.observe(session.work_dir.state.read())
        decision = self._permitted(decide_additions(seen, session.found, session.known, session.name, session.hosts))
        if decision.stop or all(host.action == "skip" for host in decision.hosts):
            return self._result(decision, recorded(session.found, session.name), fetched)
        opened = [change.text() for change in self.maker.allow_hosts(session.found)]
        objects = self._present(self._running(seen))
        image, transfer = self._image(objects, needed=bool(decision.boot))
        return self._result(decision, objects, fetched + opened + objects.lines + transfer, image)

    def _running(self, seen: Observation) -> DesiredServiceCluster:
        """The cluster as it is; one that the service does not know is imported by the id that it gave itself."""
        session, cluster = self.session, self.session.deployment.cluster
        if session.found.cluster is not None:
            return DesiredServiceCluster(session.name)
        version = self.observer.documents.get("cluster_version") or {}
        own_id = str((version.get("spec") or {}).get("clusterID") or "") or session.known.openshift_cluster_id
        if not own_id:
            raise ZeroTouchError(
                (
                    f"The service has no cluster {session.name}, and its own id is not known: its API does not "
                    f"answer. {seen.api.detail}"
                ).strip(),
                "The id is read with auth/kubeconfig in the work directory; put it there, and see that the API can be "
                "reached.",
            )
        api = urlsplit(cluster.api_url).hostname or f"api.{cluster.name}.{cluster.base_domain}"
        existing = {
            "name": session.name,
            "api_vip_dnsname": api,
            "openshift_cluster_id": own_id,
            "openshift_version": cluster.version,
        }
        return DesiredServiceCluster(session.name, existing=existing)

    def _result(
        self, decision: Decision, objects: Objects, lines: Sequence[str], image: Image | None = None
    ) -> dict[str, Any]:
        call, work_dir = self.call, self.session.work_dir
        call.plan(lines)
        image = image or Image("")
        files = {
            path.name: str(path) if path.is_file() else ""
            for path in (work_dir.kubeconfig, work_dir.kubeadmin_password)
        }
        result = {
            "changed": bool(lines),
            "plan": list(lines),
            "name": self.session.name,
            "stop": message_of(decision.stop),
            "state": decision.state,
            # A run that was killed may have left media behind. Check mode waits for nothing that it would have created.
            "wait": not decision.stop
            and self._phase != "installed"
            and (bool(objects.cluster_id) or not call.check_mode),
            "report": decision.state == "installed" or not call.check_mode,
            "cluster": dict(objects.cluster),
            "infra_env": dict(objects.infra_env),
            "hosts": [host.row("name", "joined", "action", "reason", "force") for host in decision.hosts],
            "boot_hosts": list(decision.boot),
            "forced_hosts": [host.name for host in decision.hosts if host.action == "boot" and host.force],
            "joining_hosts": [] if call.check_mode else [host.name for host in decision.hosts if host.action != "skip"],
            "image_url": image.url,
            "image_path": image.path,
            "kubeconfig": files["kubeconfig"],
            "kubeadmin_password_file": files["kubeadmin-password"],
        }
        return result | ({"diff": [change.diff() for change in objects.changes]} if call.diff else {})


def ensure_absent(request: AssistedRequest, call: Opened) -> dict[str, Any]:
    """Nothing that was made from this work directory is at the service any more; the module's result."""
    with (
        contextlib.nullcontext()
        if call.check_mode or not request.work_dir.root.is_dir()
        else one_run(request.work_dir.root, MODULE_NAME, call.clock)
    ):
        service = connect(call.params, call.clock, call.check_mode, learnt=call.add_secrets)
        try:
            result = _removed(
                request, service, check_mode=call.check_mode or not request.work_dir.root.is_dir(), diff=call.diff
            )
        finally:
            service.close()
        call.plan(result["plan"])
        return result


def _removed(request: AssistedRequest, service: AssistedService, *, check_mode: bool, diff: bool) -> dict[str, Any]:
    name = str(
        (request.provided.cluster or {}).get("name") or request.work_dir.state.section("cluster").get("name") or ""
    )
    found, stays = find_removable(service, request.work_dir, name, request.cluster_id)
    changes = [] if stays else Maker(service, request.work_dir, check_mode).absent(found)
    lines = [change.text() for change in changes]
    result = {"changed": bool(lines), "plan": lines, "name": name, "stays": [stays] if stays else []}
    return result | ({"diff": [change.diff() for change in changes]} if diff else {})


def find_removable(service: AssistedService, work_dir: WorkDir, name: str, cluster_id: str) -> tuple[Found, str]:
    """What the service has of the deployment in ``work_dir``, and why it must not be deleted, if it must not."""
    # One that the user names and that is gone needs nothing more.
    named = cluster_id if any(item.get("id") == cluster_id for item in service.clusters()) else ""
    found = find(service, Known.of(work_dir), name, named)
    if found.adopted and found.cluster is not None:
        return (
            found,
            f"Cluster {found.cluster.get('name')} ({found.cluster_id}) was not created from this work directory.",
        )
    return found, found.foreign


def check_removable(touch: Touch, clock: Clock) -> None:
    """Raise :class:`ZeroTouchError` if the service has a cluster of this name that the work directory of ``touch`` did
    not create. GET only.
    """
    if touch.assisted is None or touch.work_dir is None:
        return
    service = connect(dict(touch.assisted), clock, True)
    try:
        _found, stays = find_removable(
            service, WorkDir(touch.work_dir), touch.cluster, str(touch.assisted.get("cluster_id") or "")
        )
    finally:
        service.close()
    if stays:
        hint = "Delete it at the service by its id (module assisted_cluster, state absent), and run again."
        raise ZeroTouchError(f"{stays} Its machines were not changed. {hint}")
