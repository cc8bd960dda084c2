# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert field values between inventory variables, the installer's documents and the dataclasses of spec.py.

The table of fields (field_table.py) defines each conversion. The documents are install-config.yaml and
agent-config.yaml.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .field_row import ClusterRow, FieldRow, HostRow
from .field_table import AGENT_HOST_FIELDS, CLUSTER_FIELDS
from .live_arguments import infra_env_arguments
from .shapes import ListOf, Record, Shape, in_upstream_case, snake_case
from .spec import Bmc, Cluster, Host
from .tree import Item


def items_from_variables(rows: Iterable[FieldRow], variables: Item) -> dict[str, Item]:
    """Return the values of the variables under the field names that upstream's document has."""
    found = ((row, variables.get(row.option)) for row in rows)
    return {row.upstream: _in_upstream_case(row, item) for row, item in found if item is not None}


def _in_upstream_case(row: FieldRow, item: Item) -> Item:
    return item if row.keeps_case else in_upstream_case(item, row.shape)


def has_attribute(kind: type[Cluster | Host], row: FieldRow) -> bool:
    """Whether a class of the spec has an attribute for the field."""
    return row.option in kind.__dataclass_fields__


def attributes(kind: type[Cluster | Host], rows: Iterable[FieldRow], document: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a class of the spec for the fields that a document gives."""
    known = [row for row in rows if row.upstream in document and has_attribute(kind, row)]
    return {row.option: _held(row, document[row.upstream]) for row in known}


def without_attribute(
    kind: type[Cluster | Host], rows: Iterable[FieldRow], document: Mapping[str, Any]
) -> dict[str, Any]:
    """Values of a document for which the class of the spec has no attribute, as they are."""
    names = [row.upstream for row in rows if not has_attribute(kind, row)]
    return {name: document[name] for name in names if name in document}


def host_from_document(name: str, entry: Mapping[str, Any], bmc: Bmc | None = None) -> Host:
    """A host from its entry in agent-config.yaml or nodes-config.yaml."""
    extra = without_attribute(Host, AGENT_HOST_FIELDS, entry)
    return Host(name=name, bmc=bmc, agent_config_extra=extra, **attributes(Host, AGENT_HOST_FIELDS, entry))


def value_of(row: ClusterRow | HostRow, holder: Cluster | Host) -> Any:
    """The value of the field as upstream's document has it; None, or what is empty, where it is not given."""
    if has_attribute(type(holder), row):
        return _written(row.shape, getattr(holder, row.option))
    if isinstance(holder, Cluster) and row.document == "install":
        return holder.install_config_extra.get(row.upstream)
    return holder.agent_config_extra.get(row.upstream)


def document_values(rows: Sequence[ClusterRow] | Sequence[HostRow], holder: Cluster | Host) -> dict[str, Any]:
    """Values by upstream's names of the fields that have an attribute; without those that are not given."""
    values = {row.upstream: value_of(row, holder) for row in rows if has_attribute(type(holder), row)}
    return without_empty({name: value for name, value in values.items() if value is not False})


def infra_env_values(cluster: Cluster) -> dict[str, Any]:
    """Options of module infra_env that have the value of a field."""
    values = {row.infra_env: value_of(row, cluster) for row in CLUSTER_FIELDS if row.infra_env}
    return without_empty({**values, "kernel_arguments": infra_env_arguments(cluster)})


def request_options(rows: Iterable[HostRow], host: Host) -> dict[str, Any]:
    """Options that modules take for a host, for the fields that it gives."""
    return without_empty({row.option: value_of(row, host) for row in rows})


def without_empty(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping without what is nothing or empty."""
    return {key: value for key, value in mapping.items() if value not in (None, "", [], {})}


def _held(row: FieldRow, value: Any) -> Any:
    """A value of a document as the spec holds it."""
    if isinstance(value, list):
        return tuple(_made(row.holds, each) for each in value)
    return _made(row.holds, value)


def _made(kind: type | None, value: Any) -> Any:
    if kind is None:
        return value
    return kind(**{snake_case(key): tuple(each) if isinstance(each, list) else each for key, each in value.items()})


def _written(shape: Shape, value: Any) -> Any:
    """A value of the spec as a document has it."""
    if isinstance(value, tuple):
        return [_written(shape.element if isinstance(shape, ListOf) else shape, each) for each in value]
    if isinstance(shape, Record) and dataclasses.is_dataclass(value):
        members = {name: (field.shape, getattr(value, snake_case(name))) for name, field in shape.fields.items()}
        return without_empty({name: _written(inner, member) for name, (inner, member) in members.items()})
    return value
