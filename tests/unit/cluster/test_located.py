# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the YAML parser that records the line of each value: the types of scalars, and error messages that quote nothing
of the file.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster import located
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.located import load, load_all, resolve_plain
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.tree import merge_patch, places, plain, wrap
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import libraries


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both parsers of PyYAML, because a PyYAML may be built without libyaml."""
    if request.param == "python":
        monkeypatch.setattr(libraries.yaml, "CSafeLoader", libraries.yaml.SafeLoader, raising=False)
    located._loader.cache_clear()
    request.addfinalizer(located._loader.cache_clear)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("52:54:00:11:22:33", "52:54:00:11:22:33"),
        ("2022-01-01", "2022-01-01"),
        ("yes", True),
        ("Off", False),
        ("n", False),
        ("~", None),
        ("", None),
        ("0640", 0o640),
        ("0o17", 15),
        ("0x1f", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("-7", -7),
        ("0", 0),
        ("1e3", 1000.0),
        ("1e999", "1e999"),
        ("4.22", 4.22),
        ("4.22.0", "4.22.0"),
        ("1.5.", "1.5."),
        ("089", 89.0),
        ("10.0.0.0/16", "10.0.0.0/16"),
    ],
)
def test_unquoted_scalars(text: str, value: object) -> None:
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


def test_quoted_and_tagged_scalars_are_text() -> None:
    item, problems = load("a: '12'\nb: \"yes\"\nc: !!str 12\nd: |\n  12\n", "f.yaml")
    assert problems == []
    assert item is not None
    assert plain(item) == {"a": "12", "b": "yes", "c": "12", "d": "12\n"}


def test_every_value_has_its_line() -> None:
    item, _problems = load("a:\n  b:\n  - c: 1\n    d: x\n  - e\n", "f.yaml")
    assert item is not None
    assert {path: (place.path, place.line) for path, place in places(item)} == {
        "": ("", 1),
        "a": ("a", 1),
        "a.b": ("a.b", 2),
        "a.b[0]": ("a.b[0]", 3),
        "a.b[0].c": ("a.b[0].c", 3),
        "a.b[0].d": ("a.b[0].d", 4),
        "a.b[1]": ("a.b[1]", 5),
    }


SECRET = "c2VjcmV0LXZhbHVl"

FAULTS = [
    ("a flow list that is not closed", f"a: [{SECRET}\nb: 1\n", "a ',' or a closing bracket is missing"),
    ("a tab", f"a:\n\tb: {SECRET}\n", "tab"),
    ("two colons", f"a: b: {SECRET}\n", "':' where no key is allowed"),
    ("unknown alias", f"a: *{SECRET}\n", "alias"),
    ("open quote", f"a: '{SECRET}\n", "never closed"),
    ("unknown escape", f'a: "\\q{SECRET}"\n', "escape"),
    ("a list where a mapping ends", f"- {SECRET}\nb: 1\n", "wrong indentation"),
    ("control character", f"a: {SECRET}\x01\n", "not allow"),
    ("at sign", f"a: @{SECRET}\n", "quotes"),
    ("text after a quoted value", f"a: ''{SECRET}''\n", "key was expected"),
]


@pytest.mark.parametrize(("name", "text", "words"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_faults_are_located_and_quote_nothing(name: str, text: str, words: str) -> None:
    item, problems = load(text, "dir/f.yaml")
    assert item is None
    (problem,) = problems
    assert problem.kind == "Syntax error"
    assert problem.file == "dir/f.yaml"
    assert words in problem.detail
    assert SECRET not in problem.text()


@pytest.mark.parametrize(
    ("text", "path", "kind", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "a", "Duplicate value", 3),
        ("a:\n- b: 1\n  b: 2\n", "a[0].b", "Duplicate value", 3),
        ("a: &x [*x]\n", "a[0]", "Syntax error", 1),
        ("a: !vault x\n", "a", "Syntax error", 1),
        ("? [a]\n: b\n", "", "Syntax error", 1),
        ("<<: 1\n", "", "Syntax error", 1),
        ("~: 1\n", "", "Syntax error", 1),
        ("a: [.inf]\n", "a[0]", "Syntax error", 1),
        ("a: -.Inf\n", "a", "Syntax error", 1),
        ("a: .nan\n", "a", "Syntax error", 1),
        ("? \n: 1\n", "", "Syntax error", 1),
        # What '<<' brings is no default to the installer: a key of its own beside it stands twice, as does one of two
        # sources.
        ("x: &x\n  a: 1\nz:\n  <<: *x\n  a: 2\n", "z.a", "Duplicate value", 5),
        ("x: &x\n  a: 1\nz:\n  a: 2\n  <<: *x\n", "z.a", "Duplicate value", 4),
        ("z:\n  <<:\n  - {a: 1, b: 1}\n  - {a: 2}\n", "z.a", "Duplicate value", 4),
        # Of a second document the installer reads nothing, be it YAML or not.
        ("---\na: 1\n---\nb: 2\n", "", "Ignored", 4),
        ("a: 1\n---\nb: [\n", "", "Ignored", 4),
        ("a: 1\n...\nb: 2\n", "", "Ignored", 3),
    ],
)
def test_what_is_yaml_but_wrong(text: str, path: str, kind: str, line: int) -> None:
    item, problems = load(text, "f.yaml")
    assert item is not None
    assert [(problem.path, problem.kind, problem.line) for problem in problems] == [(path, kind, line)]


def test_aliases_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(located, "_MOST_VALUES", 1000)
    tenfold = {n: ", ".join([f"*a{n - 1}"] * 10) for n in range(1, 9)}
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [f"a{n}: &a{n} [{aliases}]" for n, aliases in tenfold.items()]
    _item, problems = load("\n".join(lines), "f.yaml")
    assert [problem.detail for problem in problems] == ["aliases make this document too large"]
    deep = "[" * 250 + "]" * 250
    _item, problems = load(f"a: {deep}", "f.yaml")
    assert [problem.detail for problem in problems] == ["this document is nested too deeply"]


def test_anchors_and_merge_keys() -> None:
    text = "x: &x {a: 1, b: 2}\nw: {c: 3, <<: *x}\nz: {<<: [*x, {c: 4}]}\n"
    item, problems = load(text, "f.yaml")
    assert problems == []
    assert item is not None
    assert plain(item) == {"x": {"a": 1, "b": 2}, "w": {"a": 1, "b": 2, "c": 3}, "z": {"a": 1, "b": 2, "c": 4}}


def test_files_that_are_not_read_strictly() -> None:
    """Manifests may override what '<<' brings; that a key stands twice is ours to say."""
    items, problems = load_all("x: &x {a: 1}\nz: {<<: *x, a: 2}\nb: 1\nb: 2\n", "f.yaml", strict=False)
    assert plain(items[0]) == {"x": {"a": 1}, "z": {"a": 2}, "b": 1}
    assert [(problem.path, problem.layer) for problem in problems] == [("b", "ours")]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("on", "true"),
        ("N", "false"),
        ("010", "8"),
        ("1.10", "1.1"),
        ("1e7", "1e+07"),
        ("1.5e6", "1.5e+06"),
        (".inf", ".inf"),
        ("x", "x"),
        ("'on'", "on"),
    ],
)
def test_keys_are_texts_as_the_installer_makes_them(text: str, key: str) -> None:
    item, problems = load(f"{text}: 1\n", "f.yaml")
    assert (item and list(item.mapping()), problems) == ([key], [])


@pytest.mark.parametrize("head", ["%YAML 1.2\n---\n", "\ufeff# comment\n\n%YAML 2.0\n---\n"])
def test_another_version_of_yaml(head: str) -> None:
    item, (problem,) = load(f"{head}a: 1\n", "f.yaml")
    assert (item, problem.kind, problem.line) == (None, "Syntax error", head.count("\n") - 1)
    assert load("%YAML 1.1\n---\na: 1\n", "f.yaml")[1] == []


def test_documents() -> None:
    assert [plain(item) for item in load_all("a: 1\n---\n---\nb: 2\n", "")[0]] == [{"a": 1}, None, {"b": 2}]
    assert [plain(item) for item in load_all("# nothing\n", "")[0]] == [None]
    assert load_all("a: [", "")[0] == []


def test_doubled_single_quotes_around_the_pull_secret() -> None:
    text = f'a: 1\npullSecret: \'\'{{"auths": {{"h": {{"auth": "{SECRET}"}}}}}}\'\'\nb: 2\n'
    item, problems = load(text, "install-config.yaml")
    (problem,) = problems
    assert (problem.path, problem.kind, problem.line) == ("pullSecret", "Syntax error", 2)
    assert """pullSecret: '{"auths": {"host:5000": {"auth": "…"}}}'""" in problem.hint
    assert SECRET not in problem.text()
    # What follows is read all the same.
    assert item is not None
    assert plain(item)["b"] == 2


def test_merge_patch_keeps_places() -> None:
    merged = merge_patch(
        wrap({"a": {"b": 1, "c": 2}, "d": [1]}, "", "f", 1),
        wrap({"a": {"b": None, "e": {"f": None, "g": 3}}, "d": "x"}, "patch"),
    )
    assert plain(merged) == {"a": {"c": 2, "e": {"g": 3}}, "d": "x"}
    assert merged.value["a"].value["e"].value["g"].path == "patch.a.e.g"
    assert merged.value["a"].value["c"].path == "a.c"
