# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate proxy, mirrors, publish, credentialsMode, capabilities and the remaining fields of install-config.yaml, as
openshift-install does.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults, pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...common.problems import DEPRECATED, Problem
from . import urls
from .findings import forbidden, invalid, required, unsupported, warning
from .provided import Document, Provided
from .repositories import repository_error
from .texts import parse_cidr, parse_ip, quoted, subdomain_error

_PUBLISH = ("External", "Internal", "Mixed")
_VISIBLE = ("External", "Internal")
_SOURCE_POLICIES = ("NeverContactSource", "AllowContactingSource")
_CREDENTIALS_MODES = {
    **dict.fromkeys(("aws", "gcp"), ("Manual", "Mint", "Passthrough")),
    "azure": ("Manual", "Passthrough"),
    "openstack": ("Passthrough",),
    **dict.fromkeys(("ibmcloud", "powervs", "nutanix"), ("Manual",)),
}
_INTERNAL_PLATFORMS = ("aws", "azure", "gcp", "ibmcloud", "powervs")


def proxy(provided: Provided) -> Iterator[Problem]:
    """Proxy URLs may hold a password: those are not shown."""
    if "proxy" not in provided.doc:
        return
    values = provided.doc["proxy"]
    http, https, no_proxy = (values.get(key, "") for key in ("httpProxy", "httpsProxy", "noProxy"))
    if not http and not https:
        yield required("proxy", "must include httpProxy or httpsProxy")
    for path, url, schemes in (("proxy.httpProxy", http, ("http",)), ("proxy.httpsProxy", https, ("http", "https"))):
        if url:
            yield from _proxy_url(provided, path, url, schemes)
    if no_proxy and no_proxy != "*":
        yield from _no_proxy(no_proxy)


def _proxy_url(provided: Provided, path: str, text: str, schemes: Sequence[str]) -> Iterator[Problem]:
    shown = None if "@" in text else text
    try:
        url = urls.parse_request_uri(text)
    except urls.UrlError as error:
        yield invalid(path, shown, str(error) if shown else "this is not a URL")
        return
    if url.scheme not in schemes:
        yield unsupported(path, url.scheme, schemes)
    ip, networks = parse_ip(url.host), provided.networks
    if any(entry.cidr.holds(ip) for entry in networks.cluster):
        yield invalid(path, shown, "proxy value is part of the cluster networks")
    if any(cidr.holds(ip) for cidr in networks.service):
        yield invalid(path, shown, "proxy value is part of the service networks")
    if provided.join_subnet is not None and provided.join_subnet.holds(ip):
        yield invalid(path, shown, "proxy value is part of the ovn-kubernetes IPv4 InternalJoinSubnet")


def _no_proxy(text: str) -> Iterator[Problem]:
    if " " in text:
        yield invalid("proxy.noProxy", text, "noProxy must not have spaces")
    for index, element in enumerate(text.split(",")):
        name = element.strip()
        if (
            subdomain_error(name.removeprefix(".").removesuffix("."))
            and parse_cidr(name) is None
            and parse_ip(name) is None
        ):
            words = (
                "each element of noProxy must be a IP, CIDR or domain without wildcard characters, which is violated "
                "by element"
            )
            yield invalid("proxy.noProxy", text, f"{words} {index} {quoted(name)}")


def image_content_sources(provided: Provided) -> Iterator[Problem]:
    for index, source in enumerate(provided.doc.get("imageContentSources") or []):
        yield from _source(f"imageContentSources[{index}]", source)


def image_digest_sources(provided: Provided) -> Iterator[Problem]:
    for index, source in enumerate(provided.doc.get("imageDigestSources") or []):
        path, policy = f"imageDigestSources[{index}]", source.get("sourcePolicy", "")
        yield from _source(path, source)
        if policy and not source.get("mirrors"):
            yield invalid(f"{path}.sourcePolicy", policy, "sourcePolicy cannot be configured without a mirror")
        if policy and policy not in _SOURCE_POLICIES:
            yield invalid(
                f"{path}.sourcePolicy",
                policy,
                (f'supported values are "{_SOURCE_POLICIES[0]}" and "{_SOURCE_POLICIES[1]}"'),
            )


def _source(path: str, source: Document) -> Iterator[Problem]:
    name = source.get("source", "")
    if error := repository_error(name):
        yield invalid(f"{path}.source", name, error)
    for index, mirror in enumerate(source.get("mirrors") or []):
        if error := repository_error(mirror):
            yield invalid(f"{path}.mirrors[{index}]", mirror, error)


def both_sources(provided: Provided) -> Iterator[Problem]:
    if provided.doc.get("imageContentSources") and provided.doc.get("imageDigestSources"):
        detail = "cannot set imageContentSources and imageDigestSources at the same time"
        yield invalid("imageContentSources", provided.doc["publish"], detail)
    if provided.doc.get("imageContentSources"):
        yield warning(
            "deprecated-field",
            "imageContentSources",
            DEPRECATED,
            ("imageContentSources is deprecated, please use ImageDigestSources"),
        )


def publish_value(provided: Provided) -> Iterator[Problem]:
    if provided.doc["publish"] not in _PUBLISH:
        yield unsupported("publish", provided.doc["publish"], _PUBLISH)


def publish_strategy(provided: Provided) -> Iterator[Problem]:
    strategy, name = provided.doc["publish"], provided.platform
    operators = provided.doc.get("operatorPublishingStrategy")
    if strategy == "Internal" and name not in _INTERNAL_PLATFORMS:
        yield invalid("publish", strategy, f'Internal publish strategy is not supported on "{name}" platform')
    if strategy == "Mixed":
        if name != "azure":
            yield invalid("publish", strategy, f'mixed publish strategy is not supported on "{name}" platform')
        if operators is None:
            yield invalid(
                "publish", strategy, ("please specify the operator publishing strategy for mixed publish strategy")
            )
    elif operators is not None:
        yield invalid(
            "operatorPublishingStrategy",
            strategy,
            ("operator publishing strategy is only allowed with mixed publishing strategy installs"),
        )
    if operators is None:
        return
    values = {key: operators.get(key) or "External" for key in ("apiserver", "ingress")}
    for key, value in values.items():
        if value not in _VISIBLE:
            yield unsupported(key, value, _VISIBLE)
    if set(values.values()) == {"Internal"}:
        yield invalid(
            "publish",
            "Internal",
            ("cannot set both fields to internal in a mixed cluster, use publish internal instead"),
        )


def credentials_mode(provided: Provided) -> Iterator[Problem]:
    mode, name = provided.doc.get("credentialsMode", ""), provided.platform
    if not mode:
        return
    if name not in _CREDENTIALS_MODES:
        yield invalid("credentialsMode", mode, f'cannot be set when using the "{name}" platform')
    elif mode not in _CREDENTIALS_MODES[name]:
        yield unsupported("credentialsMode", mode, _CREDENTIALS_MODES[name])


def os_image_stream(provided: Provided) -> Iterator[Problem]:
    stream, profile = provided.doc.get("osImageStream", ""), provided.profile
    if not profile.os_image_stream or not stream:
        return
    if profile.default_os_stream:
        if stream not in profile.os_streams:
            yield unsupported("osImageStream", stream, profile.os_streams)
        return
    # The installer of 4.22.
    if profile.okd:
        yield forbidden("osImageStream", "OS Image Streams are only supported on OCP clusters using RHCOS")
    if stream not in profile.os_streams:
        yield forbidden(
            "osImageStream", (f"Unsupported OS Image Stream. Supported values are: {', '.join(profile.os_streams)}")
        )
