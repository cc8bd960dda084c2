# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the built-in Kubernetes kinds that a hub needs, such as Namespace and Secret: schemas, defaults and
validation.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from . import structural
from .crd import GROUP as EXTENSIONS
from .errors import bad_request, invalid
from .resource import Column, Object, Resource, replace_status
from .structural import Schema
from .table import AGE, condition

STATUS = {"status": replace_status}
CERTIFICATES = "certificates.k8s.io"
ANY: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
STRINGS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}


def _schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


SECRET = _schema(
    type={"type": "string"},
    immutable={"type": "boolean"},
    data={**STRINGS, "nullable": True},
    stringData={**STRINGS, "nullable": True},
)
CONFIG_MAP = _schema(
    immutable={"type": "boolean"}, data={**STRINGS, "nullable": True}, binaryData={**STRINGS, "nullable": True}
)
NAMESPACE = _schema(spec=_schema(finalizers={"type": "array", "items": {"type": "string"}}), status=ANY)
LEASE = _schema(
    spec=_schema(
        holderIdentity={"type": "string"},
        leaseDurationSeconds={"type": "integer", "format": "int32"},
        acquireTime={"type": "string", "format": "date-time"},
        renewTime={"type": "string", "format": "date-time"},
        leaseTransitions={"type": "integer", "format": "int32"},
        strategy={"type": "string"},
        preferredHolder={"type": "string"},
    )
)
DATA_KEY = re.compile(r"[-._a-zA-Z0-9]+")
DATA_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
    "or 'key-name', regex used for "
    f"validation is '{DATA_KEY.pattern}')"
)


def structure(document: Mapping[str, Any]) -> Schema:
    return structural.parse(document, root=True)


# namespaces


def prepare_namespace(new: Object, old: Object | None) -> None:
    """A namespace holds itself with ``spec.finalizers`` until it is empty; its phase is the server's."""
    if old is None:
        new["spec"] = {"finalizers": ["kubernetes"]}
        new["status"] = {"phase": "Active"}
        new["metadata"]["labels"] = {
            **(new["metadata"].get("labels") or {}),
            "kubernetes.io/metadata.name": new["metadata"]["name"],
        }
    else:
        new["spec"] = old.get("spec") or {}


def namespace_held(item: Object) -> bool:
    return bool((item.get("spec") or {}).get("finalizers"))


# secrets and config maps


def prepare_secret(new: Object, old: Object | None) -> None:
    """``stringData`` becomes data; data is base64; the type stays."""
    data = dict(new.get("data") or {})
    for key, value in (new.pop("stringData", None) or {}).items():
        data[key] = base64.b64encode(value.encode()).decode()
    for value in data.values():
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error as error:
            legal = re.match(r"[A-Za-z0-9+/]*", value)
            where = legal.end() if legal else 0
            raise bad_request(
                f'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte {where}'
            ) from error
    if data:
        new["data"] = data
    new.setdefault("type", (old or {}).get("type") or "Opaque")
    causes = _keys("data", data)
    if old is not None and new["type"] != old.get("type", "Opaque"):
        causes.append(("type", f"Invalid value: {json.dumps(new['type'])}: field is immutable"))
    if new["type"] == "kubernetes.io/dockerconfigjson":
        causes += _docker_config(data)
    causes += _immutable(new, old)
    if causes:
        raise invalid("Secret", "", new["metadata"]["name"], causes)


def _docker_config(data: Mapping[str, str]) -> list[tuple[str, str]]:
    if ".dockerconfigjson" not in data:
        return [("data[.dockerconfigjson]", "Required value")]
    try:
        json.loads(base64.b64decode(data[".dockerconfigjson"]))
    except ValueError as error:
        return [("data[.dockerconfigjson]", f'Invalid value: "<secret contents redacted>": {error}')]
    return []


def prepare_config_map(new: Object, old: Object | None) -> None:
    causes = (
        _immutable(new, old) + _keys("data", new.get("data") or {}) + _keys("binaryData", new.get("binaryData") or {})
    )
    if causes:
        raise invalid("ConfigMap", "", new["metadata"]["name"], causes)


def _keys(field: str, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (f"{field}[{key}]", f"Invalid value: {json.dumps(key)}: {DATA_KEY_TEXT}")
        for key in data
        if DATA_KEY.fullmatch(key) is None
    ]


def prepare_lease(new: Object, old: Object | None) -> None:
    spec = new.get("spec") or {}
    causes = []
    if spec.get("leaseDurationSeconds", 1) <= 0:
        causes.append(
            ("spec.leaseDurationSeconds", (f"Invalid value: {spec['leaseDurationSeconds']}: must be greater than 0"))
        )
    if spec.get("leaseTransitions", 0) < 0:
        causes.append(
            (
                "spec.leaseTransitions",
                (f"Invalid value: {spec['leaseTransitions']}: must be greater than or equal to 0"),
            )
        )
    if causes:
        raise invalid("Lease", "coordination.k8s.io", new["metadata"]["name"], causes)


def _immutable(new: Object, old: Object | None) -> list[tuple[str, str]]:
    if old is None or not old.get("immutable"):
        return []
    found = [("immutable", "Forbidden: field is immutable when `immutable` is set")] if not new.get("immutable") else []
    changed = [name for name in ("data", "binaryData") if (new.get(name) or {}) != (old.get(name) or {})]
    return found + [(name, "Forbidden: field is immutable when `immutable` is set") for name in changed]


# certificate signing requests


def csr_condition(item: Object) -> str:
    """As kubectl shows it: Pending, Approved, Denied, with Issued."""
    kinds = [entry.get("type") for entry in (item.get("status") or {}).get("conditions") or []]
    text = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    return text + (",Issued" if (item.get("status") or {}).get("certificate") else "")


def replace_approval(current: Object, body: Object) -> Object:
    """Subresource ``approval``: only the conditions come from the body."""
    conditions = (body.get("status") or {}).get("conditions") or []
    if {"Approved", "Denied"} <= {entry.get("type") for entry in conditions}:
        text = "Invalid value: Approved and Denied conditions are mutually exclusive"
        raise invalid(
            "CertificateSigningRequest", CERTIFICATES, current["metadata"]["name"], [("status.conditions", text)]
        )
    return {**current, "status": {**(current.get("status") or {}), "conditions": conditions}}


def prepare_csr(new: Object, old: Object | None) -> None:
    """A request must be base64 of PEM and cannot change."""
    if old is not None:
        new["spec"] = old["spec"]
        return
    spec, name = new.get("spec") or {}, new["metadata"]["name"]
    try:
        pem = base64.b64decode(spec.get("request") or "", validate=True)
    except binascii.Error as error:
        raise bad_request(
            f'CertificateSigningRequest in version "v1" cannot be handled as a CertificateSigningRequest: {error}'
        ) from error
    causes = []
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in pem:
        causes.append(("spec.request", "Invalid value: PEM block type must be CERTIFICATE REQUEST"))
    if not spec.get("signerName"):
        causes.append(("spec.signerName", "Required value"))
    if not spec.get("usages"):
        causes.append(("spec.usages", "Required value"))
    if causes:
        raise invalid("CertificateSigningRequest", CERTIFICATES, name, causes)


# definitions


def prepare_definition(new: Object, old: Object | None) -> None:
    """Name and versions must make sense; the conditions say that the definition is served."""
    spec, name = new.get("spec") or {}, new["metadata"]["name"]
    causes = [
        (f"spec.{field}", "Required value") for field in ("group", "scope", "names", "versions") if not spec.get(field)
    ]
    if not causes and name != f"{spec['names'].get('plural')}.{spec['group']}":
        causes.append(("metadata.name", f'Invalid value: {json.dumps(name)}: must be spec.names.plural+"."+spec.group'))
    if causes:
        raise invalid("CustomResourceDefinition", EXTENSIONS, name, causes)
    spec.setdefault("conversion", {"strategy": "None"})
    spec["names"].setdefault("singular", spec["names"]["kind"].lower())
    spec["names"].setdefault("listKind", f"{spec['names']['kind']}List")


def definition_status(definition: Mapping[str, Any], now: str) -> Object:
    """The status of a served definition."""
    accepted = {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"}
    established = {
        "type": "Established",
        "status": "True",
        "reason": "InitialNamesAccepted",
        "message": "the initial names have been accepted",
    }
    conditions = [{**condition, "lastTransitionTime": now} for condition in (accepted, established)]
    stored = [version["name"] for version in definition["spec"]["versions"] if version.get("storage")]
    return {"acceptedNames": definition["spec"]["names"], "conditions": conditions, "storedVersions": stored}


DEFINITION = Resource(
    EXTENSIONS,
    "v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    subresources=STATUS,
    columns=(Column("Created At", lambda item: item["metadata"].get("creationTimestamp", ""), "date", format=""),),
    prepare=prepare_definition,
    strategic=True,
)
NAMESPACES = Resource(
    "",
    "v1",
    "Namespace",
    "namespaces",
    short_names=("ns",),
    subresources=STATUS,
    columns=(Column("Status", lambda item: (item.get("status") or {}).get("phase", "Active")), AGE),
    prepare=prepare_namespace,
    structure=structure(NAMESPACE),
    held=namespace_held,
    fields={"status.phase": lambda item: (item.get("status") or {}).get("phase", "")},
    strategic=True,
)


def _size(item: Object, *members: str) -> int:
    return sum(len(item.get(member) or {}) for member in members)


def _plain(
    group: str,
    version: str,
    kind: str,
    plural: str,
    short: tuple[str, ...] = (),
    *,
    namespaced: bool = True,
    **more: Any,
) -> Resource:
    return Resource(group, version, kind, plural, namespaced=namespaced, short_names=short, strategic=True, **more)


def resources() -> list[Resource]:
    """All of them. RBAC, events, service accounts and Deployments are storage without meaning."""
    rbac = "rbac.authorization.k8s.io"
    return [
        NAMESPACES,
        _plain(
            "",
            "v1",
            "Secret",
            "secrets",
            prepare=prepare_secret,
            structure=structure(SECRET),
            schema=SECRET,
            fields={"type": lambda item: item.get("type", "")},
            columns=(
                Column("Type", lambda item: item.get("type", "")),
                Column("Data", lambda item: _size(item, "data"), "integer"),
                AGE,
            ),
        ),
        _plain(
            "",
            "v1",
            "ConfigMap",
            "configmaps",
            ("cm",),
            prepare=prepare_config_map,
            structure=structure(CONFIG_MAP),
            schema=CONFIG_MAP,
            columns=(Column("Data", lambda item: _size(item, "data", "binaryData"), "integer"), AGE),
        ),
        _plain("", "v1", "ServiceAccount", "serviceaccounts", ("sa",)),
        _plain("", "v1", "Event", "events", ("ev",), fields=_event_fields(), columns=_event_columns()),
        _plain(
            "",
            "v1",
            "Node",
            "nodes",
            ("no",),
            namespaced=False,
            subresources=STATUS,
            columns=(Column("Status", _node_status), AGE),
        ),
        _plain(
            "coordination.k8s.io",
            "v1",
            "Lease",
            "leases",
            prepare=prepare_lease,
            structure=structure(LEASE),
            schema=LEASE,
            columns=(Column("Holder", lambda item: (item.get("spec") or {}).get("holderIdentity", "")), AGE),
        ),
        _plain(
            CERTIFICATES,
            "v1",
            "CertificateSigningRequest",
            "certificatesigningrequests",
            ("csr",),
            namespaced=False,
            subresources={**STATUS, "approval": replace_approval},
            prepare=prepare_csr,
            fields={"spec.signerName": lambda item: item["spec"].get("signerName", "")},
            columns=(
                AGE,
                Column("SignerName", lambda item: item["spec"].get("signerName", "")),
                Column("Requestor", lambda item: item["spec"].get("username", "")),
                Column("Condition", csr_condition),
            ),
        ),
        _plain(
            "apps",
            "v1",
            "Deployment",
            "deployments",
            ("deploy",),
            subresources=STATUS,
            columns=(Column("Ready", _replicas_ready), AGE),
        ),
        _plain(rbac, "v1", "Role", "roles"),
        _plain(rbac, "v1", "RoleBinding", "rolebindings"),
        _plain(rbac, "v1", "ClusterRole", "clusterroles", namespaced=False),
        _plain(rbac, "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False),
        DEFINITION,
    ]


def _node_status(item: Object) -> str:
    return "Ready" if condition(item, "Ready") == "True" else "NotReady"


def _replicas_ready(item: Object) -> str:
    status, spec = item.get("status") or {}, item.get("spec") or {}
    return f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}"


def _event_fields() -> dict[str, Any]:
    def member(name: str) -> Any:
        return lambda item: (item.get("involvedObject") or {}).get(name, "")

    about = {f"involvedObject.{name}": member(name) for name in ("kind", "name", "namespace", "uid")}
    return {**about, "type": lambda item: item.get("type", ""), "reason": lambda item: item.get("reason", "")}


def _event_columns() -> tuple[Column, ...]:
    def subject(item: Object) -> str:
        about = item.get("involvedObject") or {}
        return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"

    return (
        Column(
            "Last Seen",
            lambda item: item.get("lastTimestamp") or item["metadata"].get("creationTimestamp", ""),
            age=True,
        ),
        Column("Type", lambda item: item.get("type", "")),
        Column("Reason", lambda item: item.get("reason", "")),
        Column("Object", subject),
        Column("Message", lambda item: item.get("message", "")),
    )
