# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the notifications of a run (``openshift_notify``) and its live report, on a command line and in a job of a
controller.
"""

from __future__ import annotations

import dataclasses
import http.server
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from .canaries import shown
from .conftest import MakeLab, canary_inventory, canary_site
from .hosted import make_site
from .lab import Deployment
from .test_hub import make_site as make_hub_site

TOKEN = "canary-token-of-a-webhook-4d1a"
PATH = "/services/canary-path-of-a-chat-77be"


class Webhook:
    """Answers every POST with ``status``; ``posts`` has path, headers and body of each."""

    def __init__(self, status: int = 204) -> None:
        self.posts: list[tuple[str, dict[str, str], Any]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.posts.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}{PATH}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


# What a controller sets for each job.
CONTROLLER = {"AWX_HOST": "https://controller.example.com", "JOB_ID": "7"}


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    found = Webhook()
    yield found
    found.close()


def test_a_run_and_its_webhook(sno: Deployment, webhook: Webhook) -> None:
    extra = {"openshift_notify": [{"url": webhook.url, "headers": {"Authorization": f"Bearer {TOKEN}"}}]}
    secrets = {"token": TOKEN, "path": PATH}
    # Check mode sends nothing, writes nothing and serves nothing.
    planned = sno.deployed("--check", "--diff", "-vvv", extra=extra)
    assert webhook.posts == [] and not sno.work_dir.exists() and "live report:" not in planned.output
    # In a job of a controller the report is written and not served.
    sno.environment |= CONTROLLER
    run = sno.deployed("-vvv", extra=extra)
    assert "live report:" not in run.output and (sno.work_dir / "report.html").exists()
    assert [body["event"] for _path, _headers, body in webhook.posts] == ["started", "finished"], webhook.posts
    for path, headers, body in webhook.posts:
        assert (path, headers["Authorization"], body["cluster"]) == (PATH, f"Bearer {TOKEN}", "sno")
    for output in (
        planned.output,
        run.output,
        (sno.work_dir / "events.jsonl").read_text(),
        (sno.work_dir / "report.json").read_text(),
    ):
        assert not shown(output, secrets), output
    # A cluster that is installed is no news.
    webhook.posts.clear()
    assert sno.deployed(extra=extra).changed == 0
    assert webhook.posts == []


@dataclasses.dataclass(frozen=True)
class Step:
    """A run and how it ends: ``reason`` is a part of the reason of one that fails."""

    playbook: str
    reason: str = ""
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def refused(playbook: str, *hosts: str) -> Step:
    return Step(playbook, "openshift_confirm", {"openshift_hosts": list(hosts)} if hosts else {})


def confirmed(playbook: str, cluster: str, *hosts: str) -> Step:
    return Step(playbook, extra={"openshift_confirm": cluster} | ({"openshift_hosts": list(hosts)} if hosts else {}))


def scaled(replicas: int, reason: str = "", **pool: Any) -> Step:
    return Step("scale_node_pool", reason, {"openshift_node_pool": {"replicas": replicas, **pool}})


def in_demo(make_lab: MakeLab, directory: Path) -> Deployment:
    deployment = make_hub_site(make_lab, directory).deployment

    def on_hub(inventory: dict[str, Any]) -> None:
        inventory["all"]["vars"]["openshift_install_method"] = "hub"

    return deployment.described_as(on_hub)


def in_hosted(make_lab: MakeLab, directory: Path) -> Deployment:
    return make_site(make_lab, directory).deployment


def in_inventory(name: str) -> Callable[[MakeLab, Path], Deployment]:
    def make(make_lab: MakeLab, directory: Path) -> Deployment:
        site, inventory = canary_site(name, directory), canary_inventory(name, directory)
        return Deployment(make_lab(directory, site), inventory, directory)

    return make


# Each playbook that a method has, from a cluster that is deployed to one that is destroyed.
RUNS: Mapping[str, tuple[Callable[[MakeLab, Path], Deployment], tuple[Step, ...]]] = {
    "agent": (
        in_inventory("sno"),
        (Step("deploy_cluster"), refused("destroy_cluster"), confirmed("destroy_cluster", "sno")),
    ),
    "assisted": (
        in_inventory("assisted"),
        (
            Step("deploy_cluster"),
            Step("add_hosts"),
            refused("destroy_cluster"),
            confirmed("destroy_cluster", "edge"),
        ),
    ),
    "hub": (
        in_demo,
        (
            Step("deploy_cluster"),
            refused("remove_hosts", "worker-1"),
            confirmed("remove_hosts", "demo", "worker-1"),
            refused("reprovision_hosts", "worker-0"),
            confirmed("reprovision_hosts", "demo", "worker-0"),
            Step("add_hosts", extra={"openshift_hosts": ["worker-0"]}),
            refused("destroy_cluster"),
            confirmed("destroy_cluster", "demo"),
        ),
    ),
    "hosted": (
        in_hosted,
        (
            Step("deploy_cluster", extra={"openshift_node_pool": {"replicas": 1}}),
            Step("deploy_cluster", "9 more", {"openshift_node_pool": {"name": "large", "replicas": 9}}),
            scaled(2),
            scaled(1, "openshift_confirm"),
            refused("remove_hosts", "node-0"),
            refused("reprovision_hosts", "node-0"),
            Step("add_hosts", extra={"openshift_hosts": ["node-5"]}),
            confirmed("reprovision_hosts", "guest", "node-0"),
            confirmed("remove_hosts", "guest", "node-0"),
            refused("destroy_cluster"),
            confirmed("destroy_cluster", "guest"),
        ),
    ),
    "capi": (
        in_inventory("capi"),
        (
            Step("deploy_cluster"),
            # All hosts: a free one would keep add_hosts from naming another.
            scaled(5),
            scaled(6, "needs 1 more hosts"),
            refused("remove_hosts", "worker-0"),
            refused("reprovision_hosts", "worker-0"),
            confirmed("reprovision_hosts", "edge", "worker-0"),
            confirmed("remove_hosts", "edge", "worker-0"),
            Step("add_hosts", extra={"openshift_hosts": ["worker-0"]}),
            refused("destroy_cluster"),
            confirmed("destroy_cluster", "edge"),
        ),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("method", RUNS)
def test_each_run_ends_with_an_event(method: str, make_lab: MakeLab, tmp_path: Path, webhook: Webhook) -> None:
    """Whatever the playbook does and however it ends: the webhook gets its end with the reason, and the page is not
    left "running". A second webhook refuses everything, which is a warning.
    """
    make, steps = RUNS[method]
    deployment = make(make_lab, tmp_path)
    refusing = Webhook(status=403)
    notify = [{"url": webhook.url, "headers": {"Authorization": f"Bearer {TOKEN}"}}, {"url": refusing.url}]
    deployment.environment |= CONTROLLER
    for step in steps:
        webhook.posts.clear()
        run = deployment.run(step.playbook, extra={"openshift_notify": notify, **step.extra})
        assert run.ok is not bool(step.reason) and "Traceback" not in run.output, run.output
        assert "was not delivered to http://127.0.0.1" in run.output, run.output
        events = [body for _path, _headers, body in webhook.posts]
        end = "failed" if step.reason else "finished"
        assert [body["event"] for body in events] == ["started", end], (step, events, run.output)
        assert events[0]["text"] == f"{step.playbook} has started." and step.reason in events[1]["text"], events
        assert not shown(run.output, {"token": TOKEN, "path": PATH}), run.output
        if step.playbook == "destroy_cluster":
            # Its own report and events would be files in a directory that it deletes.
            log = deployment.work_dir / "events.jsonl"
            assert not log.exists() or "destroy_cluster" not in log.read_text()
            continue
        report = json.loads((deployment.work_dir / "report.json").read_text())
        assert "live" not in report
        # A change that succeeded leaves the report of the installation.
        shown_run = report.get("run", {"playbook": step.playbook, "state": "finished"})
        assert (shown_run["playbook"], shown_run["state"]) == (step.playbook, end), report
        assert not step.reason or run.message in shown_run["reason"]
        log = (deployment.work_dir / "events.jsonl").read_text()
        assert json.loads(log.splitlines()[-1])["event"] == end
    refusing.close()
