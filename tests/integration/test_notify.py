# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Notifications of a run (``openshift_notify``) and its live report, on a command line and in a job of a controller."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .canaries import shown
from .conftest import MakeLab
from .hosted import make_site
from .lab import Deployment

TOKEN = "canary-token-of-a-webhook-4d1a"
PATH = "/services/canary-path-of-a-chat-77be"


class Webhook:
    """Takes every POST; ``posts`` has path, headers and body of each."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, dict[str, str], Any]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.posts.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(204)
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


@pytest.mark.long
def test_each_run_of_a_pool_ends_with_an_event(make_lab: MakeLab, tmp_path: Path, webhook: Webhook) -> None:
    """Whatever the playbook does and however it ends: the webhook gets its end with the reason, and the page is not
    left "running".
    """
    site = make_site(make_lab, tmp_path)
    notify = [{"url": webhook.url, "headers": {"Authorization": f"Bearer {TOKEN}"}}]
    site.deployment.environment |= CONTROLLER

    def run_of(playbook: str, ok: bool, **extra: Any) -> dict[str, Any]:
        """The last event. The report says the same."""
        webhook.posts.clear()
        run = site.play(playbook, openshift_notify=notify, **extra)
        assert run.ok is ok, run.output
        events = [body for _path, _headers, body in webhook.posts]
        assert [body["event"] for body in events] == ["started", "finished" if ok else "failed"], events
        assert events[0]["text"] == f"{playbook} has started."
        report = json.loads((site.deployment.work_dir / "report.json").read_text())
        assert "live" not in report and (report["run"]["playbook"], report["run"]["state"]) == (
            playbook,
            events[1]["event"],
        )
        assert ok or (run.message in events[1]["text"] and run.message in report["run"]["reason"]), (
            run.message,
            events,
        )
        assert not shown(run.output, {"token": TOKEN, "path": PATH}), run.output
        return dict(events[1])

    run_of("deploy_cluster", True, openshift_node_pool={"replicas": 1})
    assert "9 more" in run_of("deploy_cluster", False, openshift_node_pool={"name": "large", "replicas": 9})["text"]
    run_of("scale_node_pool", True, openshift_node_pool={"replicas": 2})
    assert "openshift_confirm" in run_of("scale_node_pool", False, openshift_node_pool={"replicas": 1})["text"]
    (leaving, *_others) = sorted(site.nodes())
    for playbook in ("remove_hosts", "reprovision_hosts"):
        assert "openshift_confirm" in run_of(playbook, False, openshift_hosts=[leaving.partition(".")[0]])["text"]
    run_of("add_hosts", True, openshift_hosts=["node-5"])
    log = (site.deployment.work_dir / "events.jsonl").read_text()
    assert {"started", "line", "finished", "failed"} <= {json.loads(line)["event"] for line in log.splitlines()}
    # Check mode sends nothing and leaves the report.
    before = (site.deployment.work_dir / "report.json").read_bytes()
    webhook.posts.clear()
    site.play("scale_node_pool", "--check", openshift_node_pool={"replicas": 3}, openshift_notify=notify)
    assert webhook.posts == [] and (site.deployment.work_dir / "report.json").read_bytes() == before
