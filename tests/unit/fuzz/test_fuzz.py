# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading mutated remote data (responses, archives, files): it is read as a value, or refused with an error that
the collection defines. It never causes another exception, and takes bounded time and memory.

``ZT_FUZZ_CASES`` is the number of cases of each target (default 40), ``ZT_FUZZ_SEED`` the first of their seeds. A
failure prints its seed: ``ZT_FUZZ_SEED=<seed> ZT_FUZZ_CASES=1`` repeats that case.
"""

from __future__ import annotations

import os
import random
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.shapes import misfit
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import http
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.snapshot import BadSnapshot
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import CorruptArchive
from ansible_collections.zerotouch.openshift.tests.unit.fuzz.targets import TARGETS, Wire

CASES = int(os.environ.get("ZT_FUZZ_CASES", "40"))
SEED = int(os.environ.get("ZT_FUZZ_SEED", "1"))
# Seconds of one case, on a machine that does other work too; MiB of the process in a run of its own.
_LONGEST = 20.0
_LARGEST = 300
# What the functions that read the data name as their own errors.
FORESEEN: dict[str, tuple[type[Exception], ...]] = {
    "cpio": (CorruptArchive,),
    "tar": (ValueError,),
    "stored state": (BadSnapshot,),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.timeout(max(600, CASES))
def test_mutated_answers(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire()
    # No connection is made: a TLS context for each client would be most of the time.
    monkeypatch.setattr(http, "pool_manager", lambda *arguments, **options: {})
    monkeypatch.setattr(
        HttpClient, "request", lambda client, method, path, **options: wire.request(client, method, path, **options)
    )
    found: dict[str, list[int]] = {}
    slowest, refused = 0.0, 0
    for seed in range(SEED, SEED + CASES):
        started = time.monotonic()
        try:
            TARGETS[target](random.Random(seed), wire, tmp_path)
        except (ZeroTouchError, *FORESEEN.get(target, ())) as error:
            refused += 1
            assert str(error)
        except Exception as error:
            found.setdefault(f"{type(error).__name__}: {str(error)[:120]} {_where(error)}", []).append(seed)
        slowest = max(slowest, time.monotonic() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{target}: seeds {SEED} to {SEED + CASES - 1}, {refused} refused, slowest case {slowest:.2f} s, peak of "
        "the "
        f"process {peak} MiB"
    )
    assert not found, "\n".join(f"seeds {seeds[:5]} ({len(seeds)}): {text}" for text, seeds in sorted(found.items()))
    assert slowest < _LONGEST
    if "PYTEST_XDIST_WORKER" not in os.environ and CASES > 1000:
        assert peak < _LARGEST


def test_an_id_that_is_null() -> None:
    """Seed 107136 of the long run: null is removed, and then the id is missing."""
    document: dict[str, Any] = {"id": None, "name": "demo"}
    assert misfit(document, "clusters", listed=True) == "" and document["id"] == ""


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        ("clusters", {"last-installation-preparation": "failed"}),
        ("clusters", {"total_host_count": "3"}),
        ("hosts", {"inventory": {"disks": [{"installation_eligibility": "yes"}]}}),
    ],
)
def test_fields_of_the_service_with_other_types(kind: str, document: dict[str, Any]) -> None:
    assert "not" in misfit(document, kind, listed=True)


def _where(error: Any) -> str:
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
