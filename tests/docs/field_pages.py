# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate the field reference (docs/reference/fields.md) from the tables in plugins/module_utils/cluster
(field_table.py and fields.py), with the meanings of field_meanings.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_row import FieldRow
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import (
    AGENT_FIELDS,
    AGENT_HOST_FIELDS,
    HOST_FIELDS,
    INSTALL_FIELDS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.fields import AGENT_CONFIG, INSTALL_CONFIG
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.nested_fields import POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.platform_fields import (
    PLATFORMS,
    ROOT_DEVICE_HINTS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import (
    OPAQUE,
    AnyOf,
    Field,
    ListOf,
    Opaque,
    Record,
    Scalar,
    Shape,
    snake_case,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import (
    CLUSTER,
    HOST,
    TARGETS_BY_OPTION,
)

from . import field_meanings
from .field_meanings import Meaning

HEAD = """# Fields

<!-- Generated from plugins/module_utils/cluster/{field_table,fields}.py and tests/docs: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you can look up every field of `openshift_cluster`, `openshift_host`, `install-config.yaml` and `agent-config.yaml`: allowed
values, default and effect. Keys of the two files are not case-sensitive. For an unknown key the message suggests the nearest known one. The column
"from" names the first release that has the field; without a value all releases have it. An *override* is a value in the annotation
`agent-install.openshift.io/install-config-overrides` of the AgentClusterInstall: the cluster gets it from there. Messages about fields are in
[errors-configuration.md](errors-configuration.md), the checks of this collection in [checks.md](checks.md).
"""  # noqa: E501
_UPSTREAM_HEAD = "| field | type | default | from | what it does |\n|---|---|---|---|---|\n"
_OWN_HEAD = "| option | type | default | upstream | what it does |\n|---|---|---|---|---|\n"
_DEFAULT = re.compile(r"[;:,] default:? (?P<value>[^;]+?)\.?$|Default:? (?P<other>[^;]+?)\.?$")

Row = tuple[str, str]
# Default, and what there is to add, where an option is not what upstream's field is.
OF_OUR_OWN = {
    "control_plane.replicas": ("the hosts of that role in the inventory", ""),
}


def leaves(shape: Shape, path: str = "") -> Iterator[Row]:
    """(path, type) of every field, records taken apart; a list of records is a row of its own and its element's
    fields.
    """
    if isinstance(shape, Record) and shape.fields:
        for name, field in shape.fields.items():
            yield from leaves(field.shape, f"{path}.{name}" if path else name)
    elif isinstance(shape, ListOf) and isinstance(shape.element, Record):
        yield path, "list"
        yield from leaves(shape.element, f"{path}[]")
    else:
        yield path, type_of(shape)


def type_of(shape: Shape) -> str:
    if isinstance(shape, Scalar):
        values = ", ".join(f"`{choice}`" if choice else "empty" for choice in shape.choices)
        return values or {"integer": "whole number", "boolean": "true or false"}.get(shape.type, "text")
    if isinstance(shape, ListOf):
        element = type_of(shape.element)
        return f"list of {element}s" if element in ("mapping", "whole number") else f"list of {element}"
    if isinstance(shape, AnyOf):
        return " or ".join(dict.fromkeys(type_of(candidate) for candidate in shape.shapes))
    return "mapping" if isinstance(shape, (Opaque, Record)) else "value"


def _without(shape: Record, *names: str) -> Record:
    return Record({name: field for name, field in shape.fields.items() if name not in names})


def _hints_apart(shape: Record) -> Record:
    """The same record with root device hints as a mapping: they have a table of their own."""

    def apart(field: Field) -> Field:
        if field.shape is ROOT_DEVICE_HINTS:
            return Field(OPAQUE, field.description)
        if isinstance(field.shape, ListOf) and isinstance(field.shape.element, Record):
            return Field(ListOf(_hints_apart(field.shape.element)), field.description)
        return field

    return Record({name: apart(field) for name, field in shape.fields.items()})


def upstream_sections() -> list[tuple[str, Record, Mapping[str, Meaning]]]:
    """Title, shape and meanings of each table of upstream's fields."""
    top = _without(INSTALL_CONFIG, "platform", "controlPlane", "compute", "arbiter")
    install = _with_rows("", INSTALL_FIELDS, field_meanings.INSTALL_CONFIG)
    agent = _with_rows("hosts[].", AGENT_HOST_FIELDS, _with_rows("", AGENT_FIELDS, field_meanings.AGENT_CONFIG))
    return [
        ("install-config.yaml", Record({**top.fields, "platform": Field(OPAQUE)}), install),
        ("Machine pools: controlPlane, arbiter, compute[]", POOL, field_meanings.POOL),
        *(
            (f"platform.{name}", _hints_apart(shape), field_meanings.PLATFORMS[name])
            for name, shape in PLATFORMS.items()
            if isinstance(shape, Record) and shape.fields
        ),
        ("agent-config.yaml", _hints_apart(AGENT_CONFIG), agent),
        ("rootDeviceHints", ROOT_DEVICE_HINTS, field_meanings.ROOT_DEVICE_HINTS),
    ]


def _with_rows(above: str, rows: Iterable[FieldRow], meanings: Mapping[str, Meaning]) -> Mapping[str, Meaning]:
    """Meanings with those of the table of fields, for fields that have no further one."""
    said = {re.split(r"[.\[]", path.removeprefix(above))[0] for path in meanings if path.startswith(above)}
    return {**{f"{above}{row.upstream}": _meaning_of(row) for row in rows if row.upstream not in said}, **meanings}


def _meaning_of(row: FieldRow) -> Meaning:
    return Meaning(row.text, _default_in(row.text), f"{row.since[0]}.{row.since[1]}" if row.since else "")


def rows(shape: Record, meanings: Mapping[str, Meaning]) -> list[Row]:
    """The fields of a table, those below ``hosts*`` as one of that path."""
    whole = {path.removesuffix("*"): path for path in meanings if path.endswith("*")}
    found: dict[str, str] = {}
    for path, kind in leaves(shape):
        above = next((name for name in whole if path == name or path.startswith((f"{name}.", f"{name}[]"))), "")
        below = kind != "list" and above and path != above
        found.setdefault(whole.get(above, path), "mapping" if below else kind)
    return list(found.items())


def problems() -> list[str]:
    """Fields without a meaning, and meanings without a field."""
    found = []
    for title, shape, meanings in upstream_sections():
        paths = [path for path, _type in rows(shape, meanings)]
        found += [f"{title}: {path} has no meaning" for path in paths if path not in meanings]
        found += [f"{title}: {path} is no field" for path in meanings if path not in paths]
    return found


def fields_page() -> str:
    """The whole page. A field without a meaning stands there without; the test of :func:`problems` says which."""
    parts = [
        HEAD,
        "\n## openshift_cluster\n\n",
        _OWN_HEAD,
        *_own_rows(CLUSTER),
        "\n## openshift_host\n\n",
        _OWN_HEAD,
        *_own_rows(HOST),
    ]
    for title, shape, meanings in upstream_sections():
        parts += [
            f"\n## {title}\n\n",
            _UPSTREAM_HEAD,
            *(_upstream_row(path, kind, meanings.get(path, Meaning(""))) for path, kind in rows(shape, meanings)),
        ]
    return "".join(parts)


def _upstream_row(path: str, kind: str, meaning: Meaning) -> str:
    default = meaning.default or "–"
    return f"| `{path.removesuffix('*')}` | {kind} | {default} | {meaning.since} | {_escaped(meaning.text)} |\n"


def _own_rows(shape: Record) -> Iterator[str]:
    seen: dict[tuple[Row, ...], str] = {}
    for name, field in shape.fields.items():
        target = _target(shape, name)
        alike = seen.setdefault(tuple(leaves(field.shape, "*")), name) if isinstance(field.shape, Record) else name
        yield _own_row(
            name,
            type_of(field.shape) if not _is_records(field.shape) else "list",
            target,
            field,
            "" if alike == name else f" Keys as `{alike}`.",
        )
        if field.shape is ROOT_DEVICE_HINTS or alike != name:
            continue
        inner = field.shape.element if isinstance(field.shape, ListOf) else field.shape
        if isinstance(inner, Record):
            below = f"{name}[]" if isinstance(field.shape, ListOf) else name
            yield from _inner_rows(inner, below, f"{target}[]" if isinstance(field.shape, ListOf) else target)


def _inner_rows(shape: Record, path: str, target: str) -> Iterator[str]:
    """Fields inside an option: our own with their description, upstream's with its meaning."""
    described = {name: field.description for name, field in shape.fields.items()}
    for name, field in shape.fields.items():
        if isinstance(field.shape, ListOf) and isinstance(field.shape.element, Record):
            described |= {f"{name}[].{key}": each.description for key, each in field.shape.element.fields.items()}
    for below, kind in leaves(shape):
        meaning = _meanings_in_snake_case().get(f"{target}.{below}", Meaning(""))
        text = described.get(below, "") or meaning.text
        default, note = OF_OUR_OWN.get(f"{path}.{below}", ("", ""))
        shown = default or meaning.default or _default_in(text) or "–"
        yield f"| `{path}.{below}` | {kind} | {_escaped(shown)} | | {_escaped(text)}{note} |\n"


def _own_row(name: str, kind: str, target: str, field: Field, note: str) -> str:
    upstream = f"`{target}`" if target else ""
    required = "**required**. " if field.required else ""
    default = _default_in(field.description) or _known_meaning(target).default
    shown = "–" if field.required else _escaped(default) or "–"
    return f"| `{name}` | {kind} | {shown} | {upstream} | {required}{_escaped(field.description)}{note} |\n"


def _target(shape: Record, name: str) -> str:
    if shape is CLUSTER:
        return TARGETS_BY_OPTION.get(name, "").replace("compute[0]", "compute[]")
    return next((f"hosts[].{row.upstream}" for row in HOST_FIELDS if row.option == name and row.upstream), "")


def _known_meaning(target: str) -> Meaning:
    return {**field_meanings.INSTALL_CONFIG, **field_meanings.AGENT_CONFIG}.get(target, Meaning(""))


def _meanings_in_snake_case() -> dict[str, Meaning]:
    """``controlPlane.fencing.credentials[].host_name`` and so on: below an option names are ours."""
    pools = {
        f"{pool}.{path}": meaning
        for pool in ("controlPlane", "arbiter", "compute[]")
        for path, meaning in field_meanings.POOL.items()
    }
    known = {**field_meanings.INSTALL_CONFIG, **pools}
    found = {}
    for path, meaning in known.items():
        for target in {
            *TARGETS_BY_OPTION.values(),
            "controlPlane",
            "arbiter",
            "compute[]",
            "networking.clusterNetwork[]",
            "imageDigestSources[]",
        }:
            if path.startswith(f"{target}."):
                rest = ".".join(
                    snake_case(step.removesuffix("[]")) + ("[]" if step.endswith("[]") else "")
                    for step in path[len(target) + 1 :].split(".")
                )
                found[f"{target}.{rest}"] = meaning
    return found


def _default_in(description: str) -> str:
    match = _DEFAULT.search(description)
    return (match["value"] or match["other"]) if match else ""


def _is_records(shape: Shape) -> bool:
    return isinstance(shape, ListOf) and isinstance(shape.element, Record)


def _escaped(text: str) -> str:
    """Fit for a table; placeholders are in capitals, because ``<name>`` is HTML."""
    return re.sub(r"<([a-z_]+)>", lambda match: match[1].upper(), text.replace("|", "\\|"))
