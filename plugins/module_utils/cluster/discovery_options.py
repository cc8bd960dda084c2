# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define and check the module options that describe a discovery image, such as proxy and kernel arguments.

The modules for a hub and those for the REST API of assisted-service use the same checks. Every check yields
each problem.

Source: openshift/assisted-service internal/cluster/validations/pull_secret_validation.go,
  internal/bminventory/inventory.go, pkg/staticnetworkconfig/generator.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..common import json_text
from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED, OwnCheck, Problem

# Not a check of a configuration, whose severity a user may lower: a wrong option of a module is always an error.
_CHECK = "infra-env"
image_problem = OwnCheck(_CHECK)

_TEXT = {"type": "str"}
_TEXTS = {"type": "list", "elements": "str"}
_NEEDED = {"type": "str", "required": True}
# Argument spec of the options in documentation fragment discovery_image.
DISCOVERY_OPTIONS: dict[str, dict[str, Any]] = {
    "ssh_public_keys": {"type": "list", "elements": "str", "no_log": False},
    "image_proxy": {"type": "dict", "options": {"http_proxy": _TEXT, "https_proxy": _TEXT, "no_proxy": _TEXT}},
    "additional_ntp_sources": _TEXTS,
    "ntp_sources": _TEXTS,
    "image_type": {"type": "str", "choices": ["full-iso", "minimal-iso", "disconnected-iso"]},
    "arch": {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "s390x"]},
    "kernel_arguments": {
        "type": "list",
        "elements": "dict",
        "options": {
            "operation": {"type": "str", "choices": ["append", "replace", "delete"], "default": "append"},
            "value": _NEEDED,
        },
    },
    "ignition_config_override": {"type": "json"},
    "additional_trust_bundle": _TEXT,
    "network_discovery_delay_seconds": {"type": "int"},
}
# Hosts with a network configuration of their own; their documentation says what becomes of them here and there.
HOST_NETWORKS: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": _NEEDED,
        "interfaces": {
            "type": "list",
            "elements": "dict",
            "required": True,
            "options": {"name": _NEEDED, "mac_address": _NEEDED},
        },
        "network_config": {"type": "dict", "required": True},
    },
}

_MAC = re.compile(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
# Upstream's pattern has a second + inside the group, with which Python's engine tries every division of a text.
# Source: openshift/assisted-service api/v1beta1/infraenv_types.go.
KERNEL_ARGUMENT = re.compile(r'(?:[^ \t\n\r"]|"[^"]*")+')


def check_pull_secret(options: Mapping[str, Any]) -> Iterator[Problem]:
    """The pull secret is a document of registries."""
    provided = options.get("pull_secret")
    if not provided:
        return
    try:
        document = json_text.parse(provided) if isinstance(provided, str) else provided
    except ValueError:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("auths"), dict) or not document["auths"]:
        hint = """a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'"""
        yield image_problem("pull_secret", INVALID, "auths required", hint=hint)


def check_texts(options: Mapping[str, Any]) -> Iterator[Problem]:
    """Proxies, trust bundle, kernel arguments, kind of image, delay."""
    for key in ("http_proxy", "https_proxy"):
        url = (options.get("image_proxy") or {}).get(key)
        if url and not str(url).startswith("http://"):
            yield image_problem(
                f"image_proxy.{key}",
                INVALID,
                ("the URL of a proxy must begin with http://, also that for HTTPS"),
                str(url).partition("//")[0],
            )
    bundle = options.get("additional_trust_bundle")
    if bundle and "-----BEGIN CERTIFICATE-----" not in bundle:
        yield image_problem("additional_trust_bundle", INVALID, "must be certificates in PEM form")
    for index, argument in enumerate(options.get("kernel_arguments") or []):
        if argument["operation"] != "append":
            yield image_problem(
                f"kernel_arguments[{index}].operation",
                UNSUPPORTED,
                "the service accepts append only",
                argument["operation"],
            )
        if not KERNEL_ARGUMENT.fullmatch(argument["value"]):
            yield image_problem(
                f"kernel_arguments[{index}].value", INVALID, "put text with blanks in double quotes", argument["value"]
            )
    if options.get("image_type") == "minimal-iso" and options.get("arch") == "s390x":
        yield image_problem("image_type", UNSUPPORTED, "there is no minimal ISO for s390x; use full-iso", "minimal-iso")
    delay = options.get("network_discovery_delay_seconds")
    if delay is not None and delay < 0:
        yield image_problem("network_discovery_delay_seconds", INVALID, "must not be negative", str(delay))


def check_ignition(options: Mapping[str, Any]) -> Iterator[Problem]:
    """The Ignition override is Ignition 3.x."""
    text = (options.get("ignition_config_override") or "").strip()
    if not text:
        return
    try:
        version = json_text.parse(text)["ignition"]["version"]
    except (ValueError, KeyError, TypeError):
        yield image_problem(
            "ignition_config_override", INVALID, ("must be an Ignition config as JSON, with ignition.version")
        )
        return
    if not str(version).startswith("3."):
        yield image_problem("ignition_config_override", UNSUPPORTED, "ignition.version must be 3.x", str(version))


def check_interfaces(where: str, host: Mapping[str, Any], macs: dict[str, str]) -> Iterator[Problem]:
    """``macs`` holds whose each MAC address is, over all hosts."""
    if not host["interfaces"]:
        yield image_problem(
            where, REQUIRED, ("at least one interface, by whose MAC address the host finds its network configuration")
        )
    seen: set[str] = set()
    for index, interface in enumerate(host["interfaces"]):
        mac = interface["mac_address"].lower()
        if not _MAC.fullmatch(mac):
            yield image_problem(
                f"{where}[{index}].mac_address",
                INVALID,
                ("must be six hexadecimal pairs with colons, in quotes"),
                interface["mac_address"],
            )
        elif mac in macs:
            yield image_problem(
                f"{where}[{index}].mac_address",
                DUPLICATE,
                (f"{macs[mac]} has it too, and would get this configuration"),
                mac,
            )
        macs.setdefault(mac, str(host["name"]))
        if interface["name"] in seen:
            yield image_problem(
                f"{where}[{index}].name",
                DUPLICATE,
                "two interfaces of one host cannot have one name",
                interface["name"],
            )
        seen.add(interface["name"])
