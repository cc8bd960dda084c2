# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live report of a run: it is written on each change and without secrets, events match their schema,
notifications are repeated, and a failed notification never fails the run.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import http.server
import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.live import notify
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.live.events import (
    KINDS,
    RunEvent,
    differences,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.live.notify import Notifier, read_webhooks
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.live.writer import (
    EVENTS_FILE,
    LiveReport,
    LiveRun,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.files import plan_report
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.news import last_news
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir

ROOT = Path(__file__).parents[4]
NOW = datetime.datetime(2026, 11, 26, 22, 0, tzinfo=datetime.UTC)
SECRET = "a-token-of-the-state-0123456789"
RUN = "0123456789abcdef"


class FakeClock:
    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def work_dir(tmp_path: Path) -> WorkDir:
    root = tmp_path / "cluster"
    root.mkdir(mode=0o700)
    found = WorkDir(root)
    host = {"name": "node-0", "hostname": "node-0", "role": "master", "macs": ["52:54:00:00:00:01"], "static_ips": []}
    found.state.update("cluster", {"name": "demo", "base_domain": "example.com", "version": "4.22.0", "hosts": [host]})
    found.state.update("secrets", {"user_token": SECRET})
    return found


def live(work_dir: WorkDir, **options: object) -> LiveReport:
    return LiveReport(
        LiveRun(work_dir, RUN, "demo"), "Wait for the installation", frozenset, now=lambda: NOW, **options
    )


def installing(work_dir: WorkDir, stage: str = "Writing image to disk") -> None:
    awaited = {
        "text": "the bootstrap of the control plane",
        "host": "node-0",
        "reason": f"it said {SECRET}",
        "next_step": "Nothing to do.",
    }
    host = {"status": "installing-in-progress", "stage": stage}
    phases = {"boot": "2026-11-26T21:50:00.000Z", "bootstrap": "2026-11-26T21:55:00.000Z"}
    work_dir.state.update(
        "install", {"phase": "bootstrap", "phases": phases, "hosts": {"node-0": host}, "awaited": awaited}
    )


def report_of(work_dir: WorkDir) -> dict:
    return json.loads((work_dir.root / "report.json").read_text())


def test_the_report_says_what_is_waited_for_and_until_when(work_dir: WorkDir) -> None:
    installing(work_dir)
    with live(work_dir) as report:
        report.line("12 min  34 %  node-0: Writing image to disk")
    found = report_of(work_dir)
    assert found["awaited"]["host"] == "node-0"
    assert found["live"]["lines"] == [
        {"at": "2026-11-26T22:00:00.000Z", "text": "12 min  34 %  node-0: Writing image to disk"}
    ]
    assert found["live"]["expected_from"] == "usual"
    # 1320 s of bootstrap, 300 of which are over, 1320 s of roll-out, 300 s of operators.
    assert found["live"]["expected_end"] == "2026-11-26T22:44:00Z"
    page = (work_dir.root / "report.html").read_text()
    assert (
        '<meta http-equiv="refresh" content="5">' in page
        and "Writing image to disk" in page
        and "the bootstrap of the control plane" in page
    )
    assert (work_dir.root / "report.html").stat().st_mode & 0o777 == 0o600


def test_the_first_page_of_a_run_knows_no_hosts(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    with live(WorkDir(tmp_path / "new")) as report:
        report.write()
    page = (tmp_path / "new" / "report.html").read_text()
    assert 'class="badge running">preparing<' in page and "0 of 0" not in page


def test_without_news_it_is_written_again(work_dir: WorkDir) -> None:
    """A long wait is not a run that has ended."""
    times = iter(NOW + datetime.timedelta(seconds=number) for number in range(1000))
    with LiveReport(
        LiveRun(work_dir, RUN, "demo"), "Wait", frozenset, now=lambda: next(times), interval=0.01
    ) as report:
        report.write()
        first = report_of(work_dir)["live"]
        deadline = time.monotonic() + 20
        while report_of(work_dir)["live"]["updated_at"] == first["updated_at"] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert report_of(work_dir)["live"]["updated_at"] > first["updated_at"] and first["interval"] == 0.01


@pytest.mark.parametrize(("seconds", "stale"), [(0, False), (29, False), (31, True)])
def test_a_run_that_was_killed(work_dir: WorkDir, seconds: float, stale: bool) -> None:
    report = live(work_dir)
    report.write()
    now = NOW + datetime.timedelta(seconds=seconds)
    assert last_news(report_of(work_dir), now) == {"updated_at": "2026-11-26T22:00:00.000Z", "stale": stale}
    plan_report(work_dir, Redactor()).apply()
    assert last_news(report_of(work_dir), now) == {}


@pytest.mark.parametrize("section", [None, [], {}, {"updated_at": "yesterday"}, {"updated_at": "2026-11-26T22:00:00"}])
def test_a_damaged_report_is_no_news(section: object) -> None:
    assert last_news({"live": section}, NOW) == {}


def test_only_its_own_script_may_run_in_the_page(work_dir: WorkDir) -> None:
    live(work_dir).write()
    page = (work_dir.root / "report.html").read_text()
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert '<section id="news" class="alarm" data-updated-at="2026-11-26T22:00:00.000Z" data-limit="30" hidden>' in page


# A browser as far as the script of the page uses it.
_BROWSER = """
const page = { news: { hidden: true, getAttribute: name => attributes[name] }, state: { className: "badge running" } };
let now = loadedAt, reloads = 0, later = [];
Date.now = () => now;
const document = { getElementById: id => page[id] }, location = { reload: () => reloads++ }, setTimeout = (call, ms) => later.push([call, ms]);
"""  # noqa: E501


@pytest.mark.skipif(not shutil.which("node"), reason="no node here that runs the page's script")
@pytest.mark.parametrize(
    ("late", "seconds", "expected"),
    [
        (0, 3, {"hidden": True, "badge": "badge running", "reloads": 0}),
        (0, 6, {"hidden": True, "badge": "badge running", "reloads": 1}),
        (28, 4, {"hidden": False, "badge": "badge", "reloads": 0}),
        (3600, 60, {"hidden": False, "badge": "badge", "reloads": 0}),
    ],
)
def test_the_script_of_the_page(work_dir: WorkDir, late: int, seconds: int, expected: dict) -> None:
    """The page is loaded ``late`` seconds after the last news, and looked at ``seconds`` later."""
    live(work_dir).write()
    page = (work_dir.root / "report.html").read_text()
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[0]
    attributes = dict(re.findall(r' (data-[a-z-]+)="([^"]*)"', page))
    loaded = int((NOW.timestamp() + late) * 1000)
    rest = (
        f"for (let s = 0; s < {seconds}; s++) {{ now += 1000; const due = later; later = []; due.forEach(([call]) => "
        f"call()); }}"
    )
    result = "console.log(JSON.stringify({hidden: page.news.hidden, badge: page.state.className, reloads}))"
    text = f"const attributes = {json.dumps(attributes)}, loadedAt = {loaded};{_BROWSER}{script}{rest}{result}"
    done = subprocess.run(["node", "-e", text], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == expected


def test_no_secret_is_in_any_file(work_dir: WorkDir) -> None:
    installing(work_dir)
    with live(work_dir) as report:
        report.line("a line")
    for name in ("report.json", "report.html", EVENTS_FILE):
        assert SECRET not in (work_dir.root / name).read_text(), name


def test_a_second_task_keeps_the_lines_of_the_first(work_dir: WorkDir) -> None:
    for text in ("first", "second"):
        with live(work_dir) as report:
            report.line(text)
    assert [line["text"] for line in report_of(work_dir)["live"]["lines"]] == ["first", "second"]


def test_a_live_report_between_is_no_change(work_dir: WorkDir) -> None:
    """A second run that changes nothing ends with the report that was there before it."""
    work_dir.state.update("install", {"phase": "installed"})
    plan = plan_report(work_dir, Redactor())
    assert plan.changed
    plan.apply()
    with live(work_dir) as report:
        report.line("reading the machines")
    assert "live" in report_of(work_dir)
    plan = plan_report(work_dir, Redactor())
    assert not plan.changed
    plan.apply()
    assert "live" not in report_of(work_dir)
    assert "refresh" not in (work_dir.root / "report.html").read_text()


def test_the_report_of_a_destroyed_cluster_is_history(work_dir: WorkDir) -> None:
    phases = {"boot": "2026-11-26T20:00:00.000Z", "bootstrap": "2026-11-26T20:01:00.000Z"}
    work_dir.state.update(
        "install", {"phase": "installed", "phases": phases, "installed_at": "2026-11-26T20:11:00.000Z"}
    )
    plan_report(work_dir, Redactor()).apply()
    (work_dir.root / "state.json").unlink()
    for _task in range(2):
        with live(work_dir) as report:
            report.line("building the image")
        assert report_of(work_dir)["live"]["history"] == [{"boot": 60.0, "bootstrap": 600.0}]
    assert report_of(work_dir)["live"]["expected_from"] == "history"


def test_what_happened_in_between_is_a_change(work_dir: WorkDir) -> None:
    work_dir.state.update("install", {"phase": "installed"})
    plan_report(work_dir, Redactor()).apply()
    with live(work_dir) as report:
        report.line("reading the machines")
    work_dir.state.update("install", {"kubernetes_version": "v1.35.2"})
    assert plan_report(work_dir, Redactor()).changed


def test_events_are_as_their_schema_says(work_dir: WorkDir) -> None:
    schema = json.loads((ROOT / "docs/schemas/event.schema.json").read_text())
    installing(work_dir)
    sent: list[dict] = []

    def keep(event: dict) -> list[str]:
        sent.append(event)
        return []

    with live(work_dir, notify=keep) as report:
        report.emit(RunEvent("started", "deploy_cluster has started."))
        report.line("a line")
    entries = [json.loads(line) for line in (work_dir.root / EVENTS_FILE).read_text().splitlines()]
    for entry in entries:
        jsonschema.validate(entry, schema)
    assert [entry["event"] for entry in entries] == ["started", "line", "phase", "host"]
    assert [entry["event"] for entry in sent] == ["started", "phase", "host"]
    assert tuple(schema["properties"]["event"]["enum"]) == KINDS


def test_differences_of_two_reports() -> None:
    before = {
        "result": {"phase": "booted"},
        "phases": [],
        "hosts": [{"name": "a", "stage": "Rebooting"}],
        "warnings": ["old"],
    }
    after = {
        "result": {"phase": "booted"},
        "phases": [{"phase": "discovery"}],
        "hosts": [{"name": "a", "stage": "Rebooting", "node": "ready"}, {"name": "b"}],
        "warnings": ["old", "new"],
    }
    assert [(event.kind, event.host, event.status or event.text) for event in differences(before, after)] == [
        ("phase", "", "The installation is in phase discovery."),
        ("host", "a", "Node ready"),
        ("warning", "", "new"),
    ]
    assert list(differences(after, after)) == []


def test_a_report_that_cannot_be_written_is_a_warning(work_dir: WorkDir) -> None:
    (work_dir.root / EVENTS_FILE).symlink_to("/dev/null")
    with live(work_dir) as report:
        report.line("a line")
    assert len(report.faults) == 1 and "symbolic link" in report.faults[0]


class Hook(http.server.BaseHTTPRequestHandler):
    answers: list[int]
    received: list[tuple[str, dict, dict]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.received.append((self.path, dict(self.headers), body))
        self.send_response(self.answers.pop(0) if self.answers else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def hook() -> Iterator[tuple[type[Hook], str]]:
    handler = type("OneHook", (Hook,), {"answers": [], "received": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"http://127.0.0.1:{server.server_port}/services/very-secret-path"
    server.shutdown()
    server.server_close()


EVENT = RunEvent("failed", 'The host "a" is off.', "boot").as_dict(
    at="2026-11-26T22:00:00.000Z", run=RUN, cluster="demo"
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, EVENT),
        ({"format": "chat"}, {"text": '✖ demo: The host "a" is off.'}),
        (
            {"format": "chat", "template": "$cluster is $event: $text ($nothing)"},
            {"text": 'demo is failed: The host "a" is off. ($nothing)'},
        ),
        (
            {"template": {"attachments": [{"title": "$cluster", "body": "$text", "level": 3}]}},
            {"attachments": [{"title": "demo", "body": 'The host "a" is off.', "level": 3}]},
        ),
    ],
)
def test_forms_of_a_notification(hook: tuple[type[Hook], str], options: dict, expected: dict) -> None:
    handler, url = hook
    hooks, problems = read_webhooks([{"url": url, "headers": {"X-Api-Key": "very-secret-header"}, **options}])
    assert problems == []
    assert Notifier(hooks, FakeClock()).send(EVENT) == []
    path, headers, body = handler.received[0]
    assert (path, headers["X-Api-Key"], body) == ("/services/very-secret-path", "very-secret-header", expected)


def test_a_webhook_is_asked_again_and_gets_only_its_events(hook: tuple[type[Hook], str]) -> None:
    handler, url = hook
    handler.answers += [503, 429]
    clock = FakeClock()
    notifier = Notifier(read_webhooks([{"url": url, "on": ["failed"]}])[0], clock)
    assert notifier.send(EVENT) == []
    assert notifier.send({**EVENT, "event": "finished"}) == []
    assert len(handler.received) == 3 and clock.slept == [1.0, 2.0]


@pytest.mark.parametrize("status", [404, 500])
def test_a_notification_that_is_not_delivered_is_a_line_without_secrets(
    hook: tuple[type[Hook], str], status: int
) -> None:
    handler, url = hook
    handler.answers += [status] * 3
    faults = Notifier(
        read_webhooks([{"url": url, "headers": {"Authorization": "very-secret-header"}}])[0], FakeClock()
    ).send(EVENT)
    assert len(faults) == 1 and str(status) in faults[0] and "very-secret" not in faults[0] and "127.0.0.1" in faults[0]


def test_no_server_listens() -> None:
    faults = Notifier(read_webhooks([{"url": "http://127.0.0.1:9/secret-path-of-a-hook"}])[0], FakeClock()).send(EVENT)
    assert len(faults) == 1 and "secret-path" not in faults[0]


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("http://x", "openshift_notify[0]"),
        ({}, "openshift_notify[0].url"),
        ({"url": "ftp://x/y"}, "openshift_notify[0].url"),
        ({"url": "http://x", "on": ["line"]}, "openshift_notify[0].on"),
        ({"url": "http://x", "on": []}, "openshift_notify[0].on"),
        ({"url": "http://x", "headers": {"A": "b\nc"}}, "openshift_notify[0].headers"),
        ({"url": "http://x", "format": "teams"}, "openshift_notify[0].format"),
        ({"url": "http://x", "template": 3}, "openshift_notify[0].template"),
        ({"url": "http://x", "headrs": {}}, "openshift_notify[0].headrs"),
    ],
)
def test_mistakes_in_openshift_notify(entry: object, path: str) -> None:
    hooks, problems = read_webhooks([entry])
    assert hooks == () and [problem.path for problem in problems] == [path]


def test_every_event_but_lines_can_be_a_notification() -> None:
    assert set(notify.EVENTS) == set(KINDS) - {"line"}
