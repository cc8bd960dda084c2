# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Warn about fields that the agent installer ignores (openshift/installer pkg/asset/agent/installconfig.go)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...common.problems import IGNORED, Problem
from .findings import warning
from .provided import Document, Provided

_CHANGED = {"externalBridge": "baremetal", "provisioningBridge": "provisioning"}
_VSPHERE = ("clusterOSImage", "defaultMachinePlatform", "diskType", "loadBalancer")
_NUTANIX = ("clusterOSImage", "preloadedOSImageName", "defaultMachinePlatform", "loadBalancer")


def ignored(provided: Provided) -> Iterator[Problem]:
    for index, pool in enumerate(provided.compute):
        yield from _pool(pool, f"compute[{index}]")
    yield from _pool(provided.control_plane, "controlPlane")
    if provided.platform == "baremetal":
        yield from _baremetal(provided)
    if provided.platform == "vsphere":
        yield from _vsphere(provided)
    if provided.platform == "nutanix":
        yield from _nutanix(provided)
    if provided.doc["publish"] != "External":
        yield _is_ignored("publish", provided.doc["publish"])
    # The installer ignores its own defaults too, with a warning that the user cannot act on.
    if provided.source.get("credentialsMode"):
        yield _is_ignored("credentialsMode", provided.doc["credentialsMode"])
    # The installer makes keys of the live system with it, and the cluster gets its own.
    if provided.profile.pki and provided.source.get("pki"):
        yield dataclasses.replace(_is_ignored("pki"), layer="ours")
    disk = (provided.doc.get("bootstrapInPlace") or {}).get("installationDisk", "")
    if disk:
        yield _is_ignored("bootstrapInPlace.installationDisk", disk)


def _pool(pool: Document, path: str) -> Iterator[Problem]:
    if pool["hyperthreading"] != "Enabled":
        yield _is_ignored(f"{path}.hyperthreading", pool["hyperthreading"])
    if pool.get("platform"):
        yield _is_ignored(f"{path}.platform")


def _baremetal(provided: Provided) -> Iterator[Problem]:
    options, path = provided.options(), "platform.baremetal"
    for key, usual in _CHANGED.items():
        if key in options and (options[key] or usual) != usual:
            yield _is_ignored(f"{path}.{key}", options.get(key, ""))
    for index, host in enumerate(options.get("hosts") or []):
        if host.get("bootMode", "") != "UEFI":  # none where another platform got the defaults
            yield _is_ignored(f"{path}.hosts[{index}].bootMode", host.get("bootMode", ""))
    if "defaultMachinePlatform" in options:
        yield _is_ignored(f"{path}.defaultMachinePlatform")


def _vsphere(provided: Provided) -> Iterator[Problem]:
    options, path = provided.options(), "platform.vsphere"
    for key in _VSPHERE:
        if options.get(key):
            yield _is_ignored(f"{path}.{key}", options[key] if isinstance(options[key], str) else None)
    # The installer ignores a single host without a warning.
    if len(options.get("hosts") or []) > 1:
        yield _is_ignored(f"{path}.hosts")


def _nutanix(provided: Provided) -> Iterator[Problem]:
    # The installer names these with capitals; ours are the names of the file.
    options, path = provided.options(), "platform.nutanix"
    for key in _NUTANIX:
        if options.get(key):
            yield _is_ignored(f"{path}.{key}", options[key] if isinstance(options[key], str) else None)
    for key in ("prismAPICallTimeout", "failureDomains"):
        if key in options:
            yield _is_ignored(f"{path}.{key}", options[key] if key == "prismAPICallTimeout" else None)


def _is_ignored(path: str, value: object = None) -> Problem:
    return warning("ignored-field", path, IGNORED, "is ignored", value=value)
