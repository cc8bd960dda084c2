# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the public interface of the collection as text: one line for each option and each result of every plugin and
role, without prose.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "characterisation" / "interface.txt"
COLLECTION = "zerotouch.openshift"
_ATTRIBUTES = ("default", "choices", "aliases", "mutually_exclusive", "required_by", "no_log")


def interface_lines() -> list[str]:
    """Return the output of ``ansible-doc`` for the collection as sorted lines."""
    return sorted(
        line
        for kind, plugins in _documentation().items()
        if kind != "keyword"
        for name, plugin in plugins.items()
        for line in _plugin(kind, name, plugin)
    )


def _documentation() -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    command = [str(Path(sys.executable).parent / "ansible-doc"), "--metadata-dump", "--no-fail-on-errors", COLLECTION]
    done = subprocess.run(
        command,
        env={**environment, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build")},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT / ".build",
    )
    return dict(json.loads(done.stdout)["all"])


def _plugin(kind: str, name: str, plugin: Mapping[str, Any]) -> Iterator[str]:
    title = f"{kind} {name.removeprefix(COLLECTION + '.')}"
    yield title
    for point, described in (plugin.get("entry_points") or {}).items():
        yield from _options(f"{title} {point} option", described.get("options") or {}, "options")
    yield from _options(f"{title} option", (plugin.get("doc") or {}).get("options") or {}, "suboptions")
    yield from _options(f"{title} result", plugin.get("return") or {}, "contains")


def _options(title: str, options: Mapping[str, Any], inner: str, path: str = "") -> Iterator[str]:
    for name, option in options.items():
        here = f"{path}.{name}" if path else str(name)
        kind = str(option.get("type", "str")) + (f" of {option['elements']}" if option.get("elements") else "")
        facts = ["required"] if option.get("required") else []
        facts += [
            f"{key} {json.dumps(option[key], sort_keys=True)}"
            for key in _ATTRIBUTES
            if option.get(key) not in (None, [], {})
        ]
        yield " ".join([f"{title} {here}: {kind}", *(f"[{fact}]" for fact in facts)])
        yield from _options(title, option.get(inner) or {}, inner, here + ("[]" if option.get("elements") else ""))


if __name__ == "__main__":
    RECORDED.write_text("\n".join(interface_lines()) + "\n")
