# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Keep the live report (an HTML page) of a run up to date across its tasks.

The first task starts the report, each module that prints progress updates it, and the last task concludes it (entry
points ``main``, ``finished`` and ``failed`` of role cluster_report). Tasks share data through a file in the temporary
directory of the run. Only the user of the run can read that directory, and Ansible removes it at the end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible import constants as C

from ..module_utils.common.connect import ConnectTo
from ..module_utils.common.entry_point import Call
from ..module_utils.common.errors import Interrupted, ZeroTouchError
from ..module_utils.common.files import SECRET_FILE, ensure_directory, write_atomic
from ..module_utils.common.lock import Holder
from ..module_utils.common.store_link import StoreLink, StoreLost
from ..module_utils.deployment.live.events import RunEvent
from ..module_utils.deployment.live.notify import Notifier, read_webhooks
from ..module_utils.deployment.live.writer import LiveReport, LiveRun
from ..module_utils.deployment.publication import read_options
from ..module_utils.deployment.state.ephemeral import by_controller
from ..module_utils.deployment.state.work_dir import WorkDir
from ..module_utils.serving.options import PublishOptions
from ..module_utils.serving.page import serve_page
from .live_options import FLAGS, METHODS

# Playbooks that delete the work directory: they send notifications and write no report.
_WITHOUT_REPORT = ("destroy_cluster",)


def in_controller_job(variables: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether a controller started the run: also by the variables of ansible/awx awx/main/tasks/jobs.py
    build_extra_vars_file.
    """
    return bool(variables.get("awx_job_id") or variables.get("tower_job_id") or by_controller(environment))


def start(deployment: Mapping[str, Any], variables: Mapping[str, Any], call: Call, *, controller: bool) -> None:
    """Write the first report, serve it, and print its URL. What fails is a warning: a run does not need a report."""
    settings = deployment["settings"]
    playbook = call.params["playbook"]
    installs = playbook == "deploy_cluster" and settings["method"] in METHODS
    if call.check_mode or (installs and _is_installed(settings)):
        return
    chosen, notify = variables.get("openshift_live_report") or {}, variables.get("openshift_notify") or []
    reported = playbook not in _WITHOUT_REPORT
    if not reported and not notify:
        return
    record = {
        "reported": reported,
        "work_dir": settings["work_dir"],
        "run": secrets.token_hex(8),
        "cluster": settings["name"],
        "playbook": playbook,
        "change": "" if installs else playbook,
        "notify": notify,
        "connect_to": settings["connect_to"],
        "ca_cert": settings["ca_cert"],
    }
    started = RunEvent("started", f"{playbook} has started.")
    try:
        if not reported:
            write_atomic(_record_file(), json.dumps(record), SECRET_FILE)
            _notify(record, started, call)
            return
        ensure_directory(Path(settings["work_dir"]))
        write_atomic(_record_file(), json.dumps(record), SECRET_FILE)
        live = _report(record, "Check the settings", call)
        live.write()
        if FLAGS[str(chosen.get("serve", not controller)).lower()]:
            url = serve_page(Path(settings["work_dir"]), _serving(deployment, chosen), run=Holder.this("").run)
            call.show(f"live report: {url}")
        with live:
            live.emit(started)
        _warn(live, call)
    except (ZeroTouchError, OSError) as error:
        call.warn(f"There is no live report of this run: {error}")


def _is_installed(settings: Mapping[str, Any]) -> bool:
    """Whether the run has nothing to report: then it leaves all files as they are."""
    if {"start_over", "rebuild_image"} & set(settings["force"]):
        return False
    try:
        install = WorkDir(Path(settings["work_dir"])).state.section("install")
    except ZeroTouchError:
        return True
    return bool(install.get("phase") == "installed")


@contextlib.contextmanager
def accompanied(task: str, call: Call) -> Iterator[None]:
    """Let the lines of progress of a module appear in the live report, if this run has one."""
    record = None if call.check_mode else _read_record()
    if record is None or not record["reported"]:
        yield
        return
    show = call.show
    with _report(record, task, call) as live:

        def tee(line: str) -> None:
            show(line)
            live.line(line)

        call.show = tee
        try:
            yield
        finally:
            call.show = show
    _warn(live, call)


def conclude(write: Callable[[Call], dict[str, Any]], call: Call) -> dict[str, Any]:
    """Write the report without section ``live``, and notify of how the run ended.

    Each run is concluded once: with option ``playbook`` nothing is done for a run that was concluded before, or that
    has no live report. Before that, the state store has all that the run wrote.
    """
    record = None if call.check_mode else _read_record()
    playbook = call.params["playbook"]
    if playbook and not call.check_mode:
        _store(call)
    if record is None:
        return {"changed": False} if playbook else write(call)
    if not record["reported"]:
        _record_file().unlink(missing_ok=True)
        _notify(record, _end(record, call, call.params["failure"] or ""), call)
        return {"changed": False}
    if playbook:
        call.params = {**call.params, "playbook": record["change"] or None}
    result = write(call)
    report = result["report"]["result"]
    failure = call.params["failure"] or ("" if record["change"] else report["failure"])
    installed = report["phase"] == "installed" and not record["change"]
    _record_file().unlink(missing_ok=True)
    if not failure and (installed or playbook):
        summary = result["summary"][0] if installed else ""
        end = _end(record, call, summary=summary)
    else:
        end = _end(record, call, failure or "the installation is not complete")
    with _report(record, "", call) as live:
        live.emit(dataclasses.replace(end, phase=report["phase"]))
    _warn(live, call)
    # How a run ended is no change of what it manages.
    return {**result, "changed": False} if record["change"] else result


def _store(call: Call) -> None:
    """Wait for the state store: the container of a job may be deleted directly after this task. A failed run keeps the
    reason of its failure.
    """
    try:
        StoreLink(Path(call.params["work_dir"]), call.clock).finish()
    except (StoreLost, Interrupted) as error:
        if not call.params["failure"]:
            raise
        call.warn(str(error))


def _end(record: Mapping[str, Any], call: Call, failure: str = "", *, summary: str = "") -> RunEvent:
    if failure:
        return RunEvent("failed", f"{record['playbook']} has failed: {call.redactor.presentable(failure)}")
    return RunEvent("finished", summary or f"{record['playbook']} has finished.")


def _notify(record: Mapping[str, Any], event: RunEvent, call: Call) -> None:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    for fault in _notifier(record, call).send(event.as_dict(at=now, run=record["run"], cluster=record["cluster"])):
        call.warn(fault)


def _warn(live: LiveReport, call: Call) -> None:
    for fault in live.faults:
        call.warn(fault)


def _record_file() -> Path:
    return Path(C.DEFAULT_LOCAL_TMP) / "zerotouch-live.json"


def _read_record() -> dict[str, Any] | None:
    try:
        found = json.loads(_record_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _notifier(record: Mapping[str, Any], call: Call) -> Notifier:
    hooks = read_webhooks(record["notify"])[0]
    for hook in hooks:
        call.add_secrets(hook.secrets())
    return Notifier(hooks, call.clock, ConnectTo.parse(record["connect_to"])[0], record["ca_cert"])


def _report(record: Mapping[str, Any], task: str, call: Call) -> LiveReport:
    notifier = _notifier(record, call)
    run = LiveRun(WorkDir(Path(record["work_dir"])), record["run"], record["cluster"], record["change"])
    return LiveReport(run, task, call.redactor.known, notifier.send)


def _serving(deployment: Mapping[str, Any], chosen: Mapping[str, Any]) -> PublishOptions:
    """Address and certificate are those of the image, where the user names no others."""
    settings = deployment["settings"]
    addresses = [host["bmc"]["address"] for host in deployment["hosts"] if (host.get("bmc") or {}).get("address")]
    options = read_options(
        {
            "publish": settings["publish"],
            "bmc_addresses": addresses,
            "connect_to": settings["connect_to"],
            "max_seconds": 24 * 3600,
        }
    )
    own = {
        "listen": chosen.get("listen") or options.listen,
        "port": int(chosen.get("port", 0)),
        "url": chosen.get("url", ""),
    }
    return dataclasses.replace(options, method="serve", **own)
