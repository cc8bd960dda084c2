# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the report as one HTML page that loads no other file: no font, no request. It is light or dark like the
reader's system.

Only the page of a run in progress has a script (:mod:`.news`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from .data import MISSING, duration_text, seconds_between
from .news import REFRESH, head_lines, note, script
from .pictures import families_used, timeline, topology

Report = dict[str, Any]

_STYLE = """
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #ffffff; --ink: #1c2430; --soft: #5d6b7d; --line: #d9dfe7; --accent: #b3261e;
  --discover: #8fa3bd; --prepare: #6c8ebf; --start: #4f7fd1; --write: #2f5fb3; --wait: #d79b2a; --reboot: #8a5fbf; --join: #2a9d8f; --done: #2e8b57;
  --bad: #c62828; --other: #9aa4b1; --master: #2f5fb3; --worker: #2a9d8f; --arbiter: #8a5fbf; --vip: #d79b2a; --label: #ffffff; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --bg: #12161c; --card: #1b212a; --ink: #e6ebf2; --soft: #9aa8ba; --line: #2f3946; --accent: #ff8a80;
  --discover: #6f829b; --prepare: #7d9fd0; --start: #6f9be8; --write: #8ab4f8; --wait: #e9b44c; --reboot: #b794e0; --join: #4fc3b5; --done: #5fc08a;
  --bad: #ef6c6c; --other: #7d8793; --master: #8ab4f8; --worker: #4fc3b5; --arbiter: #b794e0; --vip: #e9b44c; --label: #10141a; --code: #262e39; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 27px; margin: 0 12px 0 0; letter-spacing: -.01em; }
h2 { font-size: 17px; margin: 0 0 14px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-bottom: 4px; }
.soft { color: var(--soft); } .wrong { color: var(--accent); font-weight: 600; } td b { overflow-wrap: anywhere; }
td.firm { white-space: nowrap; } td:first-child { min-width: 130px; }
.sub { color: var(--soft); margin: 0 0 22px; overflow-wrap: anywhere; }
.badge { border-radius: 999px; padding: 3px 13px; font-weight: 600; font-size: 13px; color: var(--label); background: var(--other); }
.badge.installed { background: var(--done); } .badge.failed { background: var(--bad); } .badge.running { background: var(--start); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px 22px; margin-bottom: 18px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; margin-bottom: 18px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 13px 16px; }
.tile b { display: block; font-size: 20px; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tile span { color: var(--soft); font-size: 13px; }
.scroll { overflow-x: auto; } svg { display: block; width: 100%; min-width: 720px; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; } td, th { text-align: left; padding: 7px 12px 7px 0; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); } tr + tr td { border-top: 1px solid var(--line); }
code, pre { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: 13px; }
pre { background: var(--code); border-radius: 8px; padding: 12px 14px; overflow-x: auto; margin: 10px 0 0; }
pre.log { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 330px; overflow-y: auto; }
a { color: var(--start); } dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 18px; margin: 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; } ul, ol { margin: 0; padding-left: 20px; } .alarm { border-color: var(--bad); } .alarm h2 { color: var(--accent); }
.alarm p { margin: 0 0 10px; white-space: pre-line; } .alarm .next { margin: 12px 0 0; color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 16px; margin-top: 12px; color: var(--soft); font-size: 13px; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
.wire { stroke: var(--line); stroke-width: 2; } .wire.strong { stroke: var(--soft); stroke-width: 3; stroke-linecap: round; }
.box { fill: var(--bg); stroke: var(--soft); stroke-width: 1.5; } .box.vip { stroke: var(--vip); } .box.role-master { stroke: var(--master); }
.box.role-worker { stroke: var(--worker); } .box.role-arbiter { stroke: var(--arbiter); } .box.first { stroke-width: 3; stroke-dasharray: 7 3; }
svg text { fill: var(--ink); font-size: 13px; } text.small { fill: var(--soft); font-size: 12px; } text.box-title { font-weight: 650; }
text.bar-label { fill: var(--label); font-size: 11px; } text.phase-label { fill: var(--accent); font-size: 11px; }
.grid { stroke: var(--line); stroke-width: 1; } .phase { stroke: var(--accent); stroke-width: 1.2; stroke-dasharray: 3 3; }
""" + "".join(  # noqa: E501
    f".{name} {{ fill: var(--{name}); background: var(--{name}); }}\n"
    for name in ("discover", "prepare", "start", "write", "wait", "reboot", "join", "done", "bad", "other")
)

_SOURCES = {"history": "by former installations of these hosts", "usual": "by the usual length of the phases"}
_RUN_STATES = {"running": "is running", "finished": "has finished", "failed": "has failed"}
_RUN_STYLES = {"running": "running", "finished": "installed", "failed": "failed"}
# Methods whose failed installation can be restarted, row 5 of the safety table.
_RESTARTED = ("agent", "assisted")
_INSTALLERS = {"hub": "a hub", "assisted": "an assisted-service", "capi": "Cluster API"}


def report_html(report: Report) -> str:
    """The whole page."""
    cluster = report["cluster"]
    cluster_name, run_text = cluster["name"] or "Deployment", _run_text(report) or report["result"]["text"]
    title = f"{cluster_name}: {run_text}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            *head_lines(report.get("live")),
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body><main>",
            *_sections(report),
            f"</main>{script(report.get('live'))}</body>",
            "</html>",
            "",
        ]
    )


def _sections(report: Report) -> Iterator[str]:
    yield _head(report)
    yield note(report.get("live"))
    yield _tiles(report)
    yield _failure(report)
    yield _now(report)
    yield _list_section("Warnings", report["warnings"])
    yield _picture("Topology", topology(report), "")
    yield _picture("Timeline", timeline(report), _legend(report))
    yield _hosts(report["hosts"], report["other_nodes"])
    yield _login(report)


def _head(report: Report) -> str:
    cluster, result = report["cluster"], report["result"]
    phase = result["phase"]
    css = "" if phase in ("", "built") else "running"
    if phase in ("installed", "failed"):
        css = phase
    name = escape(cluster["name"] or "Deployment")
    where = escape(
        " · ".join(part for part in (cluster["base_domain"], cluster["platform"], cluster["release_image"]) if part)
    )
    text = _run_text(report) or result["text"]
    if "run" in report:
        css = _RUN_STYLES[report["run"]["state"]]
    elif "live" in report:
        css, text = css or "running", text if result["phase"] else "preparing"
    elif result["failure"] and result["phase"] not in ("failed", "installed"):
        css, text = "failed", f"stopped: {text}"
    return (
        f'<header><h1>{name}</h1><span id="state" class="badge {css}">{escape(text)}</span></header><p '
        f'class="sub">{where}</p>'
    )


def _run_text(report: Report) -> str:
    """The state of a run that installs nothing; empty for an installation."""
    run = report.get("run")
    return f"{run['playbook']} {_RUN_STATES[run['state']]}" if run else ""


def _tiles(report: Report) -> str:
    if "run" in report:
        return ""
    cluster, result, hosts = report["cluster"], report["result"], report["hosts"]
    ready = sum(host["node"] == "ready" for host in hosts)
    so_far = "until it stopped" if result["failure"] else "so far"
    tiles = [
        ("OpenShift", cluster["version"] or "–"),
        ("Kubernetes", result["kubernetes_version"] or "–"),
        ("nodes ready", f"{ready} of {len(hosts)}" if hosts else "–"),
        (
            "took" if result["installed_at"] else so_far,
            duration_text(_seconds(report)) if result["started_at"] else "–",
        ),
        _end_tile(report),
        ("installed by", _INSTALLERS[result["method"]])
        if result["method"] in _INSTALLERS
        else ("rendezvous host", cluster["rendezvous_host"] or cluster["rendezvous_ip"] or "–"),
    ]
    return (
        '<div class="tiles">'
        + "".join(
            (f'<div class="tile"><b title="{escape(value)}">{escape(value)}</b><span>{escape(name)}</span></div>')
            for name, value in tiles
        )
        + "</div>"
    )


def _seconds(report: Report) -> float:
    """How long the installation took; of one that goes on, until now."""
    return (
        seconds_between(report["result"]["started_at"], report["live"]["updated_at"])
        if "live" in report and not report["result"]["installed_at"]
        else float(report["result"]["seconds"])
    )


def _end_tile(report: Report) -> tuple[str, str]:
    installed = report["result"]["installed_at"]
    if installed:
        return f"installed {installed[:10]}", f"{installed[11:16]} UTC"
    return (
        ("expected end", f"{report['live']['expected_end'][11:16]} UTC") if "live" in report else ("not installed", "–")
    )


def _failure(report: Report) -> str:
    result = report["result"]
    if "run" in report:
        run = report["run"]
        again = f"Correct the cause and run {run['playbook']} again."
        return _alarm(run["reason"], "", again) if run["state"] == "failed" else ""
    if not result["failure"] or result["phase"] == "installed":
        return ""
    suspects = "".join(
        f"<li>{escape(suspect)}</li>" for suspect in result["suspects"] if suspect not in result["failure"]
    )
    logs = f"What was collected is in <code>{escape(report['files']['work_dir'])}/logs</code>."
    again = " Correct the cause and run deploy_cluster again: it continues where it stopped."
    if result["phase"] == "failed":
        cluster = escape(report["cluster"]["name"])
        confirmed = f"<code>-e openshift_confirm={cluster}</code>"
        restart = (
            f", or deploy_cluster with {confirmed} <code>-e openshift_force=start_over</code>"
            if result["method"] in _RESTARTED
            else ""
        )
        again = f" Correct the cause, then run destroy_cluster with {confirmed}{restart}."
    listed = f"<ol>{suspects}</ol>" if suspects else ""
    return _alarm(result["failure"], listed, logs + again)


def _alarm(reason: str, listed: str, following: str) -> str:
    return (
        f'<section class="alarm"><h2>Why it stopped</h2><p>{escape(_sentence(reason))}</p>{listed}<p '
        f'class="next">{following}</p></section>'
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


def _now(report: Report) -> str:
    """What a run that goes on does, and what it waits for; of one that failed, what it had waited for."""
    # What an earlier installation waited for is not what this run waits for.
    live, awaited = report.get("live"), ("run" not in report and report["awaited"]) or {}
    installed = report["result"]["phase"] == "installed"
    if live is None and (not awaited.get("host") or not report["result"]["failure"]):
        return ""
    end = (
        f"{live['expected_end'][11:16]} UTC, {_SOURCES[live['expected_from']]}"
        if live and live["expected_end"] and not installed
        else ""
    )
    facts = [
        ("Task", live["task"].rpartition(" : ")[2] if live else ""),
        ("Waits for" if live else "Waited for", awaited.get("text", "")),
        ("First host", awaited.get("host", "")),
        ("Reason", awaited.get("reason", "")),
        ("What to do", awaited.get("next_step", "")),
        ("Expected end", end),
        ("Written", f"{live['updated_at'][11:19]} UTC; this page is loaded again every {REFRESH} s" if live else ""),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts if value)
    lines = "\n".join(f"{line['at'][11:19]}  {line['text']}" for line in live["lines"]) if live else ""
    log = f'<pre class="log">{escape(lines)}</pre>' if lines else ""
    heading = "Now" if live else "When it stopped"
    return f"<section><h2>{heading}</h2><dl>{rows}</dl>{log}</section>"


def _list_section(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    entries = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<section><h2>{escape(title)}</h2><ul>{entries}</ul></section>"


def _picture(title: str, picture: str, below: str) -> str:
    return f'<section><h2>{escape(title)}</h2><div class="scroll">{picture}</div>{below}</section>' if picture else ""


def _legend(report: Report) -> str:
    entries = "".join(f'<span><i class="{name}"></i>{escape(text)}</span>' for name, text in families_used(report))
    phases = " · ".join(f"{escape(phase['phase'])} {duration_text(phase['seconds'])}" for phase in report["phases"])
    return f'<div class="legend">{entries}</div><p class="sub" style="margin:10px 0 0">{phases}</p>'


def _hosts(hosts: Sequence[Report], others: Sequence[Report]) -> str:
    if not hosts:
        return ""
    cells = [
        (
            f"<b>{escape(host['name'])}</b>",
            escape(host["role_name"]) + (" (rendezvous)" if host["rendezvous"] else ""),
            "<br>".join(escape(address) for address in host["addresses"]) or "–",
            "<br>".join(f"<code>{escape(mac)}</code>" for mac in host["macs"]) or "–",
            _stage(host["stage"], host["status"]),
            _node(host["node"], host["node_roles"], host["role_differs"]),
        )
        for host in hosts
    ]
    for node in others:
        cells.append(
            (
                f"<b>{escape(node['name'])}</b>",
                "not configured here",
                "–",
                "–",
                "–",
                _node("ready" if node["ready"] else "not ready", node["roles"], False),
            )
        )
    lines = ("".join(_cell(number, cell) for number, cell in enumerate(row)) for row in cells)
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    head = "".join(
        f"<th>{name}</th>" for name in ("Host", "Configured role", "Addresses", "MACs", "Last stage", "Node")
    )
    return f'<section><h2>Hosts</h2><div class="scroll"><table><tr>{head}</tr>{rows}</table></div></section>'


def _stage(stage: str, status: str) -> str:
    last = escape(stage or status or "–")
    return f'<span class="wrong">error</span> · {last}' if status == "error" and stage else last


def _cell(number: int, content: str) -> str:
    # Addresses are read as a whole; only names and sentences may wrap.
    return f'<td class="firm">{content}</td>' if number in (2, 3) else f"<td>{content}</td>"


def _node(state: str, roles: Sequence[str], differs: bool) -> str:
    """What the cluster says of this host."""
    if not state:
        return "–"
    said = escape(", ".join(roles))
    css, note = ("wrong", " (not as configured)") if differs else ("soft", "")
    shown = f'<span class="{css}">{said}{note}</span>' if said else ""
    alarming = state in ("not ready", MISSING)
    return " · ".join(
        part for part in (f'<span class="wrong">{state}</span>' if alarming else escape(state), shown) if part
    )


def _login(report: Report) -> str:
    login, cluster = report["login"], report["cluster"]
    console = (
        f'<a href="{escape(login["console_url"])}">{escape(login["console_url"])}</a>'
        if login["console_url"].startswith("https://")
        else ""
    )
    facts = [
        ("Console", console),
        ("User", escape(login["user"]) if login["kubeadmin_password_file"] else ""),
        (
            "Password",
            f"in <code>{escape(login['kubeadmin_password_file'])}</code>" if login["kubeadmin_password_file"] else "",
        ),
        ("Kubeconfig", f"<code>{escape(login['kubeconfig'])}</code>" if login["kubeconfig"] else ""),
        (
            "With mapped address",
            f"<code>{escape(login['kubeconfig_direct'])}</code>" if login["kubeconfig_direct"] else "",
        ),
        ("API", f"<code>{escape(cluster['api_url'])}</code>" if cluster["api_url"] else ""),
        ("Image", f"<code>{escape(report['files']['image'])}</code>" if report["files"]["image"] else ""),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts if value)
    if not rows:
        return ""
    commands = f"<pre>{escape(chr(10).join(login['commands']))}</pre>" if login["commands"] else ""
    heading = "How to log in" if login["commands"] else "Where things are"
    return f"<section><h2>{heading}</h2><dl>{rows}</dl>{commands}</section>"
