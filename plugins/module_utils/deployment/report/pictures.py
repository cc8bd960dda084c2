# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Draw the pictures of the report as inline SVG: the network connections of the cluster, and the stages of each host
over time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from .data import duration_text, parse_time, seconds_between

Report = dict[str, Any]

WIDTH = 1080
_LABEL = 150
_ROW = 30
_AXIS = 34
_GRID_TOP, _PHASE_TOP = _AXIS - 6, _AXIS - 12
_MARGIN = 40
_MOST_DRAWN = 60
_COLUMNS = 5
_BOX = (192, 74)
_GAP = 16
# Bold letters are wider than others, by about a fifth.
_BOLD = 0.8
# Seconds between marks of the time axis; the first that leaves room for its text is taken.
_TICKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 86400)
_TICK_SPACE = 70

# Stage or status -> family, which is a colour of the page's style.
FAMILIES = {
    "discover": ("discovering", "pending-for-input", "insufficient", "disconnected", "known"),
    "prepare": ("preparing-for-installation", "preparing-successful", "preparing-failed"),
    "start": ("installing", "installing-in-progress", "Starting installation", "Installing"),
    "write": ("Writing image to disk", "Copying registry data to disk"),
    "wait": ("Waiting for control plane", "Waiting for bootkube", "Waiting for controller", "Waiting for ignition"),
    "reboot": ("Rebooting",),
    "join": ("Configuring", "Joined", "Node joined"),
    "done": ("Done", "installed", "Node ready"),
    "bad": ("error", "cancelled", "Failed", "installing-pending-user-action"),
}
FAMILY_TEXTS = {
    "discover": "discovery",
    "prepare": "preparing",
    "start": "starting",
    "write": "writing disk",
    "wait": "waiting",
    "reboot": "rebooting",
    "join": "configuring, joining",
    "done": "done",
    "bad": "trouble",
    "other": "other",
}


def family(stage: str) -> str:
    return next((name for name, stages in FAMILIES.items() if stage in stages), "other")


def timeline(report: Report) -> str:
    """A row for each host, a bar for each stage, a mark where a host is done; empty when nothing was recorded."""
    hosts = report["hosts"]
    times = [stage[key] for host in hosts for stage in host["stages"] for key in ("since", "until")] + [
        phase["since"] for phase in report["phases"]
    ]
    if not any(host["stages"] for host in hosts):
        return ""
    times += [moment for moment in (report["result"]["started_at"], report["result"]["installed_at"]) if moment]
    start, end = min(times, key=parse_time), max(times, key=parse_time)
    span = max(seconds_between(start, end), 1.0)
    height = _AXIS + _ROW * len(hosts) + 8
    scale = (WIDTH - _LABEL - _MARGIN) / span

    def across(moment: str) -> float:
        return _LABEL + seconds_between(start, moment) * scale

    short = short_names([host["name"] for host in hosts])
    parts = [*_axis(span, scale, height), *_phase_lines(report, across, height)]
    for number, host in enumerate(hosts):
        top = _AXIS + number * _ROW
        parts.append(
            _text(
                _LABEL - 12,
                top + 19,
                host["name"],
                "host-label",
                anchor="end",
                space=_LABEL - 16,
                short=short[host["name"]],
            )
        )
        parts += [_bar(stage, across(stage["since"]), across(stage["until"]), top) for stage in host["stages"]]
    label = f"Timeline of {len(hosts)} hosts over {duration_text(span)}"
    return _svg(WIDTH, height, label, parts)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Each name without its domain; whole where two would then look alike."""
    first = [name.partition(".")[0] for name in names]
    return {name: short if first.count(short) == 1 else name for name, short in zip(names, first, strict=True)}


def families_used(report: Report) -> list[tuple[str, str]]:
    """(family, its text) for the legend, in the order of an installation."""
    used = {family(stage["stage"]) for host in report["hosts"] for stage in host["stages"]}
    return [(name, text) for name, text in FAMILY_TEXTS.items() if name in used]


def topology(report: Report) -> str:
    """Addresses that clients use above, the machine network in the middle, the hosts below it."""
    hosts = report["hosts"][:_MOST_DRAWN]
    if not hosts:
        return ""
    short = short_names([host["name"] for host in hosts])
    rows = [hosts[index : index + _COLUMNS] for index in range(0, len(hosts), _COLUMNS)]
    entrances = list(_entrances(report["cluster"]))
    network_y = 112 if entrances else 30
    height = network_y + 8 + len(rows) * (_BOX[1] + 34) + (24 if len(report["hosts"]) > len(hosts) else 0)
    networks = ", ".join(report["cluster"]["machine_networks"]) or "machine network"
    right = WIDTH - 20
    parts = [
        f'<line class="wire strong" x1="20" y1="{network_y}" x2="{right}" y2="{network_y}"/>',
        _text(WIDTH - 24, network_y - 9, networks, "small", anchor="end"),
    ]
    parts += _row_of_boxes(entrances, 14, network_y, {}, upwards=True)
    for number, row in enumerate(rows):
        top = network_y + 36 + number * (_BOX[1] + 34)
        parts += _row_of_boxes(
            [_host_words(host) for host in row], top, network_y if number == 0 else top - 18, short, upwards=False
        )
    if len(report["hosts"]) > len(hosts):
        more = len(report["hosts"]) - len(hosts)
        parts.append(_text(WIDTH / 2, height - 8, f"and {more} more hosts", "small", anchor="middle"))
    return _svg(WIDTH, height, f"Topology of {report['cluster']['name']}", parts)


def _entrances(cluster: Report) -> Iterator[tuple[str, str, list[str]]]:
    """(class, title, lines) of the API and the ingress."""
    domain = f"{cluster['name']}.{cluster['base_domain']}"
    for title, prefix, addresses in (
        ("API", "api.", cluster["api_vips"]),
        ("Ingress", "*.apps.", cluster["ingress_vips"]),
    ):
        if addresses:
            yield "vip", title, [f"{prefix}{domain}", ", ".join(addresses)]


def _host_words(host: Report) -> tuple[str, str, list[str]]:
    role = host["role"] if host["role"] in ("master", "worker", "arbiter") else "worker"
    mark, style = (", rendezvous", " first") if host["rendezvous"] else ("", "")
    marks = f"{host['role_name']}{mark}"
    return (
        f"role-{role}{style}",
        host["name"],
        [marks, ", ".join(host["addresses"][:2]) or "no address known"],
    )


def _row_of_boxes(
    boxes: Sequence[tuple[str, str, list[str]]], top: float, wire: float, short: Mapping[str, str], *, upwards: bool
) -> list[str]:
    width, height = _BOX if not upwards else (300, 70)
    total = len(boxes) * width + (len(boxes) - 1) * _GAP
    left = (WIDTH - total) / 2
    parts = []
    for number, (css, title, lines) in enumerate(boxes):
        x = left + number * (width + _GAP)
        middle = x + width / 2
        ends = (top + height, wire) if upwards else (wire, top)
        parts.append(f'<line class="wire" x1="{middle:.1f}" y1="{ends[0]:.1f}" x2="{middle:.1f}" y2="{ends[1]:.1f}"/>')
        parts.append(f'<rect class="box {css}" x="{x:.1f}" y="{top:.1f}" width="{width}" height="{height}" rx="8"/>')
        parts.append(
            _text(x + 14, top + 24, title, "box-title", space=(width - 24) * _BOLD, short=short.get(title, ""))
        )
        parts += [
            _text(x + 14, top + 43 + 17 * index, text, "small", space=width - 24) for index, text in enumerate(lines)
        ]
    return parts


def _axis(span: float, scale: float, height: int) -> Iterator[str]:
    step = next((tick for tick in _TICKS if tick * scale >= _TICK_SPACE), _TICKS[-1])
    for number in range(int(span // step) + 1):
        x = _LABEL + number * step * scale
        yield f'<line class="grid" x1="{x:.1f}" y1="{_GRID_TOP}" x2="{x:.1f}" y2="{height}"/>'
        yield _text(x, 14, _tick_text(number * step, step), "small", anchor="middle")


def _tick_text(seconds: int, step: int) -> str:
    """Short, in the unit of the axis: ``0:45``, ``20 min``, ``1:30 h``."""
    minutes, rest = divmod(seconds, 60)
    if step < 60:
        return f"{minutes}:{rest:02d}"
    hours, of_hour = divmod(minutes, 60)
    return f"{minutes} min" if hours == 0 else f"{hours}:{of_hour:02d} h"


def _phase_lines(report: Report, across: Any, height: int) -> Iterator[str]:
    # Two phases that follow each other closely: the second is shown by its line and the list below the picture.
    taken = 0.0
    for phase in report["phases"][1:]:
        x = across(phase["since"])
        yield (
            f'<line class="phase" x1="{x:.1f}" y1="{_PHASE_TOP}" x2="{x:.1f}" '
            f'y2="{height}"><title>{escape(phase["phase"])}</title></line>'
        )
        before = x > WIDTH - 80
        length = len(phase["phase"]) * 6.4 + 8
        if x < taken:
            continue
        taken = x + (0 if before else length)
        yield _text(
            x - 4 if before else x + 4, _AXIS - 5, phase["phase"], "phase-label", anchor="end" if before else "start"
        )


def _bar(stage: Report, left: float, right: float, top: float) -> str:
    css = family(stage["stage"])
    length = f" ({duration_text(stage['seconds'])})" if stage["seconds"] else ""
    words = stage["stage"] + length
    title = f"<title>{escape(words)}</title>"
    if right - left < 1.5:
        middle = top + 14
        return f'<circle class="bar {css}" cx="{left:.1f}" cy="{middle}" r="5">{title}</circle>'
    upper, width = top + 4, right - left
    rectangle = (
        f'<rect class="bar {css}" x="{left:.1f}" y="{upper}" width="{width:.1f}" height="20" rx="3">{title}</rect>'
    )
    fits = len(stage["stage"]) * 6.2 + 10 < right - left
    return rectangle + (_text(left + 6, top + 18, stage["stage"], "bar-label") if fits else "")


def _text(x: float, y: float, text: str, css: str, anchor: str = "start", space: float = 0, short: str = "") -> str:
    """SVG neither wraps nor cuts: of a text longer than ``space`` pixels ``short`` is shown, or as much as there is
    room for.
    """
    most = int(space / 6.4) if space else 0
    shown = short if short and most and len(text) > most else text
    shown = shown if not most or len(shown) <= most else shown[: max(1, most - 1)] + "…"
    title = f"<title>{escape(text)}</title>" if shown != text else ""
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(shown)}{title}</text>'


def _svg(width: int, height: float, label: str, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
