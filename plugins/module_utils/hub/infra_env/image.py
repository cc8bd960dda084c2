# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine when the image of an InfraEnv may be used, and wait until then.

The condition ImageCreated must be True; its reason does not count. The URL must exist. The image must be old enough
that no later change replaces it while a machine boots it. Ages are measured with the server's clock, or by the time of
observation if that is longer.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go;
  docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import parse_qs

from ...common import json_text
from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.progress_line import HEARTBEAT
from ...common.retry_policies import HUB_CLOCK_LOOKS
from ...common.urls import split_remote
from ...common.waiting import Deadline, ProgressLines, turns
from ...kube.client import KubeClient, Object
from ..kinds import INFRA_ENV

COOLDOWN = 60.0
# An error that was there before our change counts again after this many seconds: the operator has checked by then.
SETTLE = 20.0
# The operator's text for errors that it retries: 5xx responses of the service, and requests without a response
# (openshift/assisted-service internal/controller/controllers/infraenv_controller.go).
_TRIED_AGAIN = "due to an internal error"
# Errors of the same kind that no repetition heals: the user's pull secret is missing or broken.
_PULL_SECRET = re.compile(r"pull secret|secret \S+ did not contain|failed to find secret")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclasses.dataclass(frozen=True)
class ImageCondition:
    status: str = ""
    reason: str = ""
    message: str = ""


@dataclasses.dataclass(frozen=True)
class Written:
    """Our last change to what the image is made of: when, by the server's clock, and the condition as it was before."""

    at: datetime.datetime | None
    before: ImageCondition


@dataclasses.dataclass(frozen=True)
class ImageVerdict:
    """``again`` is in how many seconds time alone may change the verdict; 0 if only the object can."""

    state: Literal["ready", "failed", "waiting"]
    reason: str
    again: float = 0.0


def image_condition(infra_env: Mapping[str, Any]) -> ImageCondition:
    """The condition ImageCreated; empty while there is none."""
    for condition in infra_env.get("status", {}).get("conditions") or []:
        if condition.get("type") == "ImageCreated":
            return ImageCondition(
                str(condition.get("status", "")), str(condition.get("reason", "")), str(condition.get("message", ""))
            )
    return ImageCondition()


def iso_url(infra_env: Mapping[str, Any]) -> str:
    return str(infra_env.get("status", {}).get("isoDownloadURL") or "")


def created_time(infra_env: Mapping[str, Any]) -> datetime.datetime | None:
    """When the image was last made; None without an image."""
    return parse_time(str(infra_env.get("status", {}).get("createdTime") or ""))


def parse_time(text: str) -> datetime.datetime | None:
    """A time as Kubernetes writes it; one without a zone counts as UTC."""
    try:
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=datetime.UTC) if found is not None and found.tzinfo is None else found


def judge(
    infra_env: Mapping[str, Any] | None,
    now: datetime.datetime | None,
    *,
    looked: float,
    cooldown: float,
    written: Written | None = None,
) -> ImageVerdict:
    """Whether the image may be used.

    ``now`` is the server's time, ``looked`` the seconds for which we have seen this very image.
    """
    if infra_env is None or infra_env["metadata"].get("deletionTimestamp"):
        return ImageVerdict(
            "failed",
            "The InfraEnv is being deleted."
            if infra_env
            else ("The InfraEnv was deleted while we waited for its image."),
        )
    condition = image_condition(infra_env)
    since = seconds_between(written.at, now) if written else None
    if condition.status == "False":
        if _TRIED_AGAIN in condition.message and not _PULL_SECRET.search(condition.message):
            return ImageVerdict("waiting", condition.message)
        fresh = written is None or condition != written.before or since is None or since >= SETTLE
        return ImageVerdict(
            "failed" if fresh else "waiting",
            condition.message or condition.reason,
            0.0 if fresh else SETTLE - (since or 0.0),
        )
    if condition.status != "True":
        return ImageVerdict("waiting", condition.message or "The operator has not looked at the InfraEnv yet.")
    if not iso_url(infra_env):
        return ImageVerdict("waiting", "The image is said to be created, but has no URL.")
    ages = [age for age in (seconds_between(created_time(infra_env), now), since) if age is not None]
    left = cooldown - max(min(ages, default=0.0 if written else cooldown), looked)
    return (
        ImageVerdict("waiting", f"The image is made; used once it is {cooldown:g} s old.", left)
        if left > 0
        else ImageVerdict("ready", "The image is there.")
    )


def seconds_between(earlier: datetime.datetime | None, later: datetime.datetime | None) -> float | None:
    return None if earlier is None or later is None else (later - earlier).total_seconds()


def wait_for_image(
    client: KubeClient,
    namespace: str,
    name: str,
    *,
    timeout: float,
    cooldown: float,
    clock: Clock,
    written: Written | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Object:
    """Watch until the image may be used; the InfraEnv then.

    Raises :class:`ZeroTouchError` at once, with the service's words, when it says that there will be none,
    :class:`LimitReached` after ``timeout`` seconds.
    """
    lines = ProgressLines(clock, tell, timed=False)
    seen: tuple[str, str] | None = None
    seen_at = clock.now()
    looks = 0
    infra_env: Object | None = None
    verdict = ImageVerdict("waiting", "")

    def await_change(seconds: float) -> None:
        nonlocal looks
        looks = looks + 1 if verdict.again else 0
        _await_change(
            client,
            namespace,
            name,
            infra_env,
            min(seconds, verdict.again, HUB_CLOCK_LOOKS.delay(looks)) if verdict.again else seconds,
        )

    for _turn in turns(Deadline(clock, timeout), HEARTBEAT, await_change):
        infra_env = client.find(INFRA_ENV.path(namespace, name))
        image = _image_of(infra_env)
        if image != seen:
            seen, seen_at = image, clock.now()
        verdict = judge(
            infra_env, client.server_time(), looked=clock.now() - seen_at, cooldown=cooldown, written=written
        )
        if verdict.state == "ready" and infra_env is not None:
            return infra_env
        if verdict.state == "failed":
            raise ZeroTouchError(f"InfraEnv {namespace}/{name} has no image: {verdict.reason}", _remedy(verdict.reason))
        lines.repeat("", f"InfraEnv {namespace}/{name}: {verdict.reason}")
    raise LimitReached(
        f"InfraEnv {namespace}/{name} had no image to use after {timeout:g} s: {verdict.reason}",
        timeout,
        _stuck(infra_env or {}),
    )


def _image_of(infra_env: Mapping[str, Any] | None) -> tuple[str, str]:
    status = (infra_env or {}).get("status", {})
    return str(status.get("isoDownloadURL") or ""), str(status.get("createdTime") or "")


def _await_change(
    client: KubeClient, namespace: str, name: str, known: Mapping[str, Any] | None, seconds: float
) -> None:
    version = (known or {}).get("metadata", {}).get("resourceVersion")
    for event in client.follow(INFRA_ENV.path(namespace), seconds, field_selector=f"metadata.name={name}"):
        objects = event.objects if event.type == "LISTED" else (event.object,)
        if event.type == "DELETED" or [each["metadata"].get("resourceVersion") for each in objects] != [version]:
            return


def _remedy(words: str) -> str:
    if "secret" in words.lower():
        return "Correct the pull secret (pull_secret, or the Secret in pull_secret_name) and run again."
    if "OSImageVersion" in words:
        return "Choose an os_image_version that the hub's AgentServiceConfig lists in osImages."
    return "Correct what the service names and run again."


def _stuck(infra_env: Mapping[str, Any]) -> str:
    condition = image_condition(infra_env)
    if condition.reason == "MissingClusterDeployment":
        reference = infra_env.get("spec", {}).get("clusterRef") or {}
        where = f"{reference.get('namespace')}/{reference.get('name')}"
        return (
            f"It is bound to the ClusterDeployment {where}, which does not exist or is not registered yet: create "
            "that and its AgentClusterInstall, "
            "or make an InfraEnv without cluster and bind its Agents later."
        )
    if condition.status == "False":
        return (
            "The operator repeats the request to the service. If the error persists, correct what the message "
            "names, and run again."
        )
    if condition.status == "True" and not iso_url(infra_env):
        return "The hub's image service may be switched off (ENABLE_IMAGE_SERVICE); then there are no discovery images."
    if not condition.status:
        return "Check that the Infrastructure Operator runs, and that there is an AgentServiceConfig."
    return "Raise timeout if the hub is slow; else look at the events of the InfraEnv (status.debugInfo.eventsURL)."


def infra_env_id(infra_env: Mapping[str, Any]) -> str:
    """The service's id of the InfraEnv, which the object does not hold itself: from its URLs (2.2).

    Empty while there are none.
    """
    status = infra_env.get("status", {})
    events = parse_qs(split_remote(str(status.get("debugInfo", {}).get("eventsURL") or "")).query)
    return next(iter(events.get("infra_env_id", [])), "") or id_in_image_url(iso_url(infra_env))


def id_in_image_url(url: str) -> str:
    """From ``byid/<id>``, ``images/<id>``, or the token in ``byapikey/<jwt>`` and ``bytoken/<jwt>`` (11.1)."""
    parts = [part for part in split_remote(url).path.split("/") if part]
    for kind, value in itertools.pairwise(parts):
        if kind in ("byid", "images") and _UUID.fullmatch(value):
            return value
        if kind in ("byapikey", "bytoken"):
            return _id_in_token(value)
    return ""


def _id_in_token(token: str) -> str:
    payload = token.split(".")[1] if token.count(".") == 2 else ""
    try:
        claims = json_text.parse_remote(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return ""
    found = str(claims.get("infra_env_id") or claims.get("sub") or "") if isinstance(claims, dict) else ""
    return found if _UUID.fullmatch(found) else ""


def boot_artifacts(infra_env: Mapping[str, Any]) -> dict[str, str]:
    """URLs for booting without the ISO; empty texts while there are none."""
    found = infra_env.get("status", {}).get("bootArtifacts") or {}
    names = {
        "kernel": "kernel",
        "initrd": "initrd",
        "rootfs": "rootfs",
        "ipxe_script": "ipxeScript",
        "discovery_ignition": "discoveryIgnitionURL",
    }
    return {ours: str(found.get(theirs) or "") for ours, theirs in names.items()}
