# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the Secrets and the ConfigMap that a HostedCluster refers to.

They are created once and kept equal to the user's values. The etcd encryption key never changes.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go, cmd/cluster/agent.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...capi.objects import part, text
from ...common.errors import ZeroTouchError
from ...hub.kinds import CONFIG_MAP, SECRET
from ...kube.client import Object
from ...kube.write import Change, plan_object
from ..names import SAFE_TO_DELETE
from .object import etcd_key_name, pull_secret_name, ssh_key_name, trust_bundle_name

KEY_BYTES = 32
PULL_SECRET_KEY, SSH_KEY, BUNDLE_KEY, ETCD_KEY = ".dockerconfigjson", "id_rsa.pub", "ca-bundle.crt", "key"
Key = tuple[str, str]
Objects = Mapping[Key, Object]


def owned_names(name: str) -> dict[Key, None]:
    """(kind, name) of everything that we make for a hosted cluster, in the order in which it is removed."""
    secrets = (f"{name}-pull-secret", f"{name}-ssh-key", etcd_key_name(name))
    return dict.fromkeys([*(("Secret", secret) for secret in secrets), ("ConfigMap", f"{name}-user-ca-bundle")])


def referenced(options: Mapping[str, Any], observed: Object | None) -> list[Key]:
    """(kind, name) of everything that has to be read to plan: what we make, and what the user says is there."""
    names = [
        ("Secret", pull_secret_name(options)),
        ("Secret", ssh_key_name(options)),
        ("ConfigMap", trust_bundle_name(options)),
    ]
    names.append(("Secret", encryption_key(options, observed)))
    return [key for key in dict.fromkeys(names) if key[1]]


def encryption_key(options: Mapping[str, Any], observed: Object | None) -> str:
    """The Secret whose key encrypts etcd: of a hosted cluster that exists the one it names, of a new one ours unless
    the user has another or none.
    """
    provided = options.get("secret_encryption")
    if provided:
        return str(part(provided, "aescbc", "active_key").get("name") or "")
    if observed is not None:
        return text(observed, "spec", "secretEncryption", "aescbc", "activeKey", "name")
    return etcd_key_name(options["name"]) if provided is None else ""


def plan_secrets(
    options: Mapping[str, Any], observed: Object | None, found: Objects, make_key: Callable[[], bytes]
) -> list[Change]:
    """The writes. ``make_key`` gives random bytes, and is asked only where there never was a key.

    Raises :class:`ZeroTouchError` where a key that etcd needs is gone, or is none.
    """
    changes = [_plan(options, found, *each) for each in _wanted(options, found)]
    changes.append(_plan_key(options, observed, found, make_key))
    return [change for change in changes if change is not None]


def missing(options: Mapping[str, Any], found: Objects) -> Iterator[str]:
    """What the user refers to and is not there as it has to be."""
    for option, kind, key in (
        ("pull_secret_name", "Secret", PULL_SECRET_KEY),
        ("ssh_key_name", "Secret", SSH_KEY),
        ("additional_trust_bundle_name", "ConfigMap", BUNDLE_KEY),
    ):
        name = options.get(option)
        present = found.get((kind, name)) if name else None
        if name and present is None:
            yield f"{kind} {options['namespace']}/{name} ({option}) does not exist"
        elif name and key not in part(present, "data"):
            yield f"{kind} {options['namespace']}/{name} ({option}) has no key {key}"


def _wanted(options: Mapping[str, Any], found: Objects) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(kind, name, data) of what the user gave the content of."""
    if options.get("pull_secret"):
        name, provided = pull_secret_name(options), options["pull_secret"]
        document = provided.strip() if isinstance(provided, str) else json.dumps(provided)
        present = part(found.get(("Secret", name)), "data").get(PULL_SECRET_KEY)
        same = present is not None and _document(_decoded(present)) == _document(document)
        yield "Secret", name, {PULL_SECRET_KEY: str(present) if same else _encoded(document)}
    if options.get("ssh_public_keys"):
        yield "Secret", ssh_key_name(options), {SSH_KEY: _encoded("\n".join(options["ssh_public_keys"]).strip() + "\n")}
    if options.get("additional_trust_bundle"):
        yield "ConfigMap", trust_bundle_name(options), {BUNDLE_KEY: options["additional_trust_bundle"].strip() + "\n"}


def _plan(options: Mapping[str, Any], found: Objects, kind: str, name: str, data: Mapping[str, str]) -> Change | None:
    present = found.get((kind, name))
    labels = {"labels": {SAFE_TO_DELETE: "true"}} if kind == "Secret" and present is None else {}
    desired = {"metadata": {"name": name, "namespace": options["namespace"], **labels}, "data": dict(data)}
    return plan_object(SECRET if kind == "Secret" else CONFIG_MAP, desired, present)


def _plan_key(
    options: Mapping[str, Any], observed: Object | None, found: Objects, make_key: Callable[[], bytes]
) -> Change | None:
    name = encryption_key(options, observed)
    if not name:
        return None
    present = found.get(("Secret", name))
    title = f"Secret {options['namespace']}/{name}"
    if present is not None:
        if len(_bytes(part(present, "data").get(ETCD_KEY))) != KEY_BYTES:
            raise ZeroTouchError(
                (f"{title} holds no key of {KEY_BYTES} bytes under {ETCD_KEY}: etcd could not be encrypted with it."),
                "Correct or remove it.",
            )
        return None
    if observed is not None and text(observed, "spec", "secretEncryption", "aescbc", "activeKey", "name") == name:
        raise ZeroTouchError(
            (
                f"{title} was deleted. It contains the encryption key of the etcd of {options['name']}, and with "
                "a new key the data of etcd are unreadable."
            ),
            "Restore the Secret.",
        )
    if options.get("secret_encryption"):
        raise ZeroTouchError(
            f"{title} (secret_encryption) does not exist.",
            ("Create it with 32 random bytes under key, or leave secret_encryption out."),
        )
    labels = {SAFE_TO_DELETE: "true"}
    key = base64.b64encode(make_key()).decode()
    desired = {
        "metadata": {"name": name, "namespace": options["namespace"], "labels": labels},
        "type": "Opaque",
        "data": {ETCD_KEY: key},
    }
    return plan_object(SECRET, desired, None)


def _document(provided: str) -> Any:
    try:
        return json.loads(provided)
    except ValueError:
        return provided


def _encoded(plain: str) -> str:
    return base64.b64encode(plain.encode()).decode()


def _decoded(data: Any) -> str:
    return _bytes(data).decode(errors="replace")


def _bytes(data: Any) -> bytes:
    try:
        return base64.b64decode(str(data or ""), validate=True)
    except (binascii.Error, ValueError):
        return b""
