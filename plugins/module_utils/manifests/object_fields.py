# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check field names and types of the objects in a hand-written manifests set, as strictly as the installer does.

The expected fields of an object are a shape. A shape is a leaf (``TEXT WORD TIME BYTES INTEGER TRUTH OBJECT``), ``ANY``
for a value that is not checked, a mapping of names to shapes, or a tuple of one shape for a list.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from ..cluster.tree import Item, join
from ..common.problems import INVALID, UNKNOWN_FIELD, Problem, nearest

# WORD: a text, of which the installer makes none of a number; OBJECT: a mapping that is not looked into; BYTES: base64.
TEXT, WORD, TIME, BYTES, INTEGER, TRUTH, OBJECT, ANY = (
    "text",
    "word",
    "time",
    "bytes",
    "integer",
    "truth",
    "object",
    "any",
)
_WORDS = {
    TEXT: "a text",
    WORD: "a text",
    TIME: "a time such as 2026-06-01T12:00:00Z",
    BYTES: "base64",
    INTEGER: "a whole number",
    TRUTH: "true or false",
    OBJECT: "a mapping",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

# A map of texts.
_LABELS = {"*": TEXT}
_METADATA = {
    "name": TEXT,
    "generateName": TEXT,
    "namespace": TEXT,
    "selfLink": TEXT,
    "uid": TEXT,
    "resourceVersion": TEXT,
    "generation": INTEGER,
    "creationTimestamp": TIME,
    "deletionTimestamp": TIME,
    "deletionGracePeriodSeconds": INTEGER,
    "labels": _LABELS,
    "annotations": _LABELS,
    "ownerReferences": ANY,
    "finalizers": (TEXT,),
    "managedFields": ANY,
}
_TYPE = {"apiVersion": WORD, "kind": WORD, "metadata": _METADATA}
_NAME = {"name": TEXT}
_NAMESPACED = {"name": TEXT, "namespace": TEXT}
_PROXY = {"httpProxy": TEXT, "httpsProxy": TEXT, "noProxy": TEXT}
_POOL = {"name": TEXT, "hyperthreading": TEXT}

AGENT_CLUSTER_INSTALL = {
    **_TYPE,
    "spec": {
        "apiVIP": TEXT,
        "apiVIPs": (TEXT,),
        "arbiter": _POOL,
        "clusterDeploymentRef": _NAME,
        "clusterMetadata": ANY,
        "compute": (_POOL,),
        "controlPlane": _POOL,
        "diskEncryption": {"enableOn": TEXT, "mode": TEXT, "tangServers": TEXT},
        "external": {"platformName": TEXT, "cloudControllerManager": TEXT},
        "holdInstallation": TRUTH,
        "ignitionEndpoint": {"url": TEXT, "caCertificateReference": _NAMESPACED},
        "imageSetRef": _NAME,
        "ingressVIP": TEXT,
        "ingressVIPs": (TEXT,),
        "loadBalancer": {"type": TEXT},
        "manifestsConfigMapRef": _NAME,
        "manifestsConfigMapRefs": (_NAME,),
        "mastersSchedulable": TRUTH,
        "mirrorRegistryRef": _NAMESPACED,
        "networking": {
            "clusterNetwork": ({"cidr": TEXT, "hostPrefix": INTEGER},),
            "machineNetwork": ({"cidr": TEXT},),
            "networkType": TEXT,
            "serviceNetwork": (TEXT,),
            "userManagedNetworking": TRUTH,
        },
        "ntpSources": (TEXT,),
        "platformType": TEXT,
        "provisionRequirements": {"arbiterAgents": INTEGER, "controlPlaneAgents": INTEGER, "workerAgents": INTEGER},
        "proxy": _PROXY,
        "sshPublicKey": TEXT,
    },
    "status": OBJECT,
}
CLUSTER_DEPLOYMENT = {
    **_TYPE,
    "spec": {
        "baseDomain": TEXT,
        "boundServiceAccountSigningKeySecretRef": _NAME,
        "certificateBundles": ANY,
        "clusterInstallRef": {"group": TEXT, "kind": TEXT, "name": TEXT, "version": TEXT},
        "clusterMetadata": ANY,
        "clusterName": TEXT,
        "clusterPoolRef": ANY,
        "controlPlaneConfig": OBJECT,
        "hibernateAfter": TEXT,
        "ingress": ANY,
        "installAttemptsLimit": INTEGER,
        "installed": TRUTH,
        "manageDNS": TRUTH,
        "platform": OBJECT,
        "powerState": TEXT,
        "preserveOnDelete": TRUTH,
        "provisioning": OBJECT,
        "pullSecretRef": _NAME,
    },
    "status": OBJECT,
}
CLUSTER_IMAGE_SET = {**_TYPE, "spec": {"releaseImage": TEXT}, "status": OBJECT}
INFRA_ENV = {
    **_TYPE,
    "spec": {
        "additionalNTPSources": (TEXT,),
        "additionalTrustBundle": TEXT,
        "agentApproval": ANY,
        "agentLabels": _LABELS,
        "clusterRef": _NAMESPACED,
        "cpuArchitecture": TEXT,
        "ignitionConfigOverride": TEXT,
        "imageType": TEXT,
        "ipxeScriptType": TEXT,
        "kernelArguments": ({"operation": TEXT, "value": TEXT},),
        "mirrorRegistryRef": _NAMESPACED,
        "networkDiscoveryDelaySeconds": INTEGER,
        "nmStateConfigLabelSelector": {"matchLabels": _LABELS, "matchExpressions": ANY},
        "ntpSources": (TEXT,),
        "osImageVersion": TEXT,
        "proxy": _PROXY,
        "pullSecretRef": _NAME,
        "sshAuthorizedKey": TEXT,
    },
    "status": OBJECT,
}
PULL_SECRET = {**_TYPE, "immutable": TRUTH, "data": {"*": BYTES}, "stringData": _LABELS, "type": TEXT}
# Not read strictly: what is unknown is passed over.
NMSTATE_CONFIG = {
    **_TYPE,
    "spec": {"config": ANY, "interfaces": ({"macAddress": TEXT, "name": TEXT},)},
    "status": OBJECT,
}


def read_object(item: Item, shape: Any, *, strict: bool = True) -> tuple[Item, list[Problem]]:
    """The object with upstream's spelling of names, which may have any case; null counts as absent.

    Problems name unknown fields and wrong types.
    """
    problems: list[Problem] = []
    return _read(item, shape, "", strict, problems), problems


def _read(item: Item, shape: Any, path: str, strict: bool, problems: list[Problem]) -> Item:
    if shape == ANY or item.value is None:
        return item
    if isinstance(shape, Mapping):
        return _mapping(item, shape, path, strict, problems)
    if isinstance(shape, tuple):
        if not item.is_list:
            return _wrong(item, path, "a list", problems)
        return dataclasses.replace(
            item,
            value=[
                _read(child, shape[0], join(path, index), strict, problems) for index, child in enumerate(item.value)
            ],
        )
    return _leaf(item, shape, path, problems)


def _mapping(item: Item, shape: Mapping[str, Any], path: str, strict: bool, problems: list[Problem]) -> Item:
    if not item.is_mapping:
        return _wrong(item, path, "a mapping", problems)
    known = {name.lower(): name for name in shape}
    found: dict[str, Item] = {}
    for key, child in item.value.items():
        name = key if "*" in shape else known.get(key.lower())
        if name is not None:
            found[name] = _read(child, shape[name if name in shape else "*"], join(path, name), strict, problems)
        elif strict:
            problems.append(
                Problem(
                    join(path, key),
                    UNKNOWN_FIELD,
                    f'json: unknown field "{key}"',
                    file=child.file,
                    line=child.line,
                    hint=nearest(key, shape),
                )
            )
    return dataclasses.replace(item, value=found)


def _leaf(item: Item, shape: str, path: str, problems: list[Problem]) -> Item:
    value = item.value
    if shape == TEXT and isinstance(value, (bool, int, float)):  # a text without its quotes
        return dataclasses.replace(item, value=str(value).lower() if isinstance(value, bool) else str(value))
    return item if _fits(value, shape) else _wrong(item, path, _WORDS[shape], problems)


def _fits(value: Any, shape: str) -> bool:
    if shape == TIME:
        return isinstance(value, str) and _TIME.fullmatch(value) is not None
    if shape == BYTES:
        return isinstance(value, str) and _is_base64(value)
    kinds: dict[str, type] = {TEXT: str, WORD: str, INTEGER: int, TRUTH: bool, OBJECT: dict}
    return isinstance(value, kinds[shape]) and (shape != INTEGER or not isinstance(value, bool))


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode("".join(text.splitlines()), validate=True)
    except ValueError:  # characters beyond ASCII, too
        return False
    return True


def _wrong(item: Item, path: str, wanted: str, problems: list[Problem]) -> Item:
    problems.append(Problem(path, INVALID, f"{wanted} is expected", file=item.file, line=item.line))
    return dataclasses.replace(item, value=None)
