# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fields that the agent installer ignores, with a warning (reference agent-based-installer.md 3.11)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...common.problems import IGNORED, Problem
from .findings import warning
from .given import Document, Given

_CHANGED = {"externalBridge": "baremetal", "provisioningBridge": "provisioning"}
_VSPHERE = ("clusterOSImage", "defaultMachinePlatform", "diskType", "loadBalancer")
_NUTANIX = ("clusterOSImage", "preloadedOSImageName", "defaultMachinePlatform", "loadBalancer")


def ignored(given: Given) -> Iterator[Problem]:
    for index, pool in enumerate(given.compute):
        yield from _pool(pool, f"compute[{index}]")
    yield from _pool(given.control_plane, "controlPlane")
    if given.platform == "baremetal":
        yield from _baremetal(given)
    if given.platform == "vsphere":
        yield from _vsphere(given)
    if given.platform == "nutanix":
        yield from _nutanix(given)
    if given.doc["publish"] != "External":
        yield _is_ignored("publish", given.doc["publish"])
    # The installer ignores its own defaults too, with a warning that nobody can do anything about.
    if given.source.get("credentialsMode"):
        yield _is_ignored("credentialsMode", given.doc["credentialsMode"])
    # The installer makes keys of the live system with it, and the cluster gets its own.
    if given.profile.pki and given.source.get("pki"):
        yield dataclasses.replace(_is_ignored("pki"), layer="ours")
    disk = (given.doc.get("bootstrapInPlace") or {}).get("installationDisk", "")
    if disk:
        yield _is_ignored("bootstrapInPlace.installationDisk", disk)


def _pool(pool: Document, path: str) -> Iterator[Problem]:
    if pool["hyperthreading"] != "Enabled":
        yield _is_ignored(f"{path}.hyperthreading", pool["hyperthreading"])
    if pool.get("platform"):
        yield _is_ignored(f"{path}.platform")


def _baremetal(given: Given) -> Iterator[Problem]:
    options, path = given.options(), "platform.baremetal"
    for key, usual in _CHANGED.items():
        if key in options and (options[key] or usual) != usual:
            yield _is_ignored(f"{path}.{key}", options.get(key, ""))
    for index, host in enumerate(options.get("hosts") or []):
        if host.get("bootMode", "") != "UEFI":  # none where another platform got the defaults
            yield _is_ignored(f"{path}.hosts[{index}].bootMode", host.get("bootMode", ""))
    if "defaultMachinePlatform" in options:
        yield _is_ignored(f"{path}.defaultMachinePlatform")


def _vsphere(given: Given) -> Iterator[Problem]:
    options, path = given.options(), "platform.vsphere"
    for key in _VSPHERE:
        if options.get(key):
            yield _is_ignored(f"{path}.{key}", options[key] if isinstance(options[key], str) else None)
    # A single host is passed over in silence.
    if len(options.get("hosts") or []) > 1:
        yield _is_ignored(f"{path}.hosts")


def _nutanix(given: Given) -> Iterator[Problem]:
    # The installer names these with capitals; ours are the names of the file.
    options, path = given.options(), "platform.nutanix"
    for key in _NUTANIX:
        if options.get(key):
            yield _is_ignored(f"{path}.{key}", options[key] if isinstance(options[key], str) else None)
    for key in ("prismAPICallTimeout", "failureDomains"):
        if key in options:
            yield _is_ignored(f"{path}.{key}", options[key] if key == "prismAPICallTimeout" else None)


def _is_ignored(path: str, value: object = None) -> Problem:
    return warning("ignored-field", path, IGNORED, "is ignored", value=value)
