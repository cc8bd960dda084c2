# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the Kubernetes API server over HTTP: routing, authentication and verbs. Its registry lists the kinds that it
serves.
"""

from __future__ import annotations

import contextlib
import dataclasses
import email.utils
import json
import logging
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import yaml
from aiohttp import web

from ..faults import Faults
from . import discovery, errors, openapi, patch, protobuf, scale, selectors, structural
from .auth import ANONYMOUS, ANONYMOUS_PATHS, Authentication, User
from .errors import ApiError
from .metadata import MEMBERS
from .paging import Lists
from .resource import Object, Registry, Resource
from .scale import Scale
from .storage import Admission, Store, Stored
from .table import table
from .trouble import VERBS, Trouble
from .watch import Watch

LOG = logging.getLogger(__name__)
JSON_TYPES = ("", "application/json")
YAML_TYPES = ("application/yaml", "application/vnd.kubernetes.yaml")
ACCEPTED = ("*/*", "application/*", "application/json")
UNLOCKED = ("metadata.resourceVersion", "Invalid value: 0: must be specified for an update")
PROPAGATION = ("Background", "Foreground", "Orphan")
Page = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Target:
    """What a path names: a resource, perhaps a namespace, an object, a subresource."""

    def __init__(self, resource: Resource, namespace: str, name: str, subresource: str) -> None:
        self.resource, self.namespace, self.name, self.subresource = resource, namespace, name, subresource


class KubeApi:
    """One API server. ``requests`` counts calls (``GET nodes``); ``version`` is the body of /version; ``pages`` are
    extra paths.
    """

    def __init__(
        self,
        registry: Registry,
        store: Store,
        *,
        authentication: Authentication | None = None,
        version: Mapping[str, str] | None = None,
        faults: Faults | None = None,
        pages: Mapping[str, Page] | None = None,
    ) -> None:
        self.registry, self.store, self.faults = registry, store, faults
        self.authentication = authentication or Authentication()
        self.version = dict(
            version or {"major": "1", "minor": "35", "gitVersion": "v1.35.0", "platform": "linux/amd64"}
        )
        self.pages = dict(pages or {})
        self.requests: Counter[str] = Counter()
        self.trouble = Trouble(faults)
        self.host, self.port = "", 0
        self._runner: web.AppRunner | None = None
        self._ending = False
        self._lists = Lists(store)

    @property
    def unharmed(self) -> set[str]:
        """Callers that faults leave alone unless they name them: the programs of the lab itself."""
        return self.trouble.unharmed

    @property
    def admission(self) -> list[Admission]:
        """Functions (operation, resource, new, old, dry_run) that refuse a write of an object by raising ApiError."""
        return self.store.admission

    @property
    def mutation(self) -> list[Admission]:
        """Functions like those of :attr:`admission` that may change ``new`` before it is validated."""
        return self.store.mutation

    # life

    async def start(self, host: str, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        """Listen. Port 0: any free one, see ``port``. May be called again after :meth:`stop`."""
        self._ending = False
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        app.on_response_prepare.append(self._tell_time)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, ssl_context=tls).start()
        self.host, self.port = host, self._runner.addresses[0][1]

    async def stop(self) -> None:
        """End watches and connections; the objects stay."""
        self._ending = True
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _tell_time(self, request: web.Request, response: web.StreamResponse) -> None:
        # The time of day of the objects' timestamps: clients compare the two.
        response.headers["Date"] = email.utils.format_datetime(self.store.now(), usegmt=True)

    # one request

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        try:
            user = self.authentication.identify(request)
            if user == ANONYMOUS and not request.path.startswith(ANONYMOUS_PATHS):
                raise errors.forbidden_anonymous(request.path, VERBS.get(request.method, request.method.lower()))
            self._negotiate(request)
            self.trouble.refuse(request.method, user)
            return await self._answer(request, user)
        except ApiError as error:
            return self._json(error.status(), error.code, error.headers)
        except errors.NoSuchPath:
            return web.Response(status=404, text="404 page not found\n")
        except ConnectionResetError:
            raise
        except Exception as error:
            LOG.exception("%s %s", request.method, request.path)
            status = ApiError(500, "InternalError", f"Internal error occurred: {error}")
            return self._json(status.status(), 500, {})

    def _negotiate(self, request: web.Request) -> None:
        accept = request.headers.get("Accept", "") or "*/*"
        media = [part.split(";")[0].strip() for part in accept.split(",")]
        if not any(item in ACCEPTED for item in media) and not request.path.startswith(ANONYMOUS_PATHS):
            raise errors.not_acceptable(["application/json"])

    async def _answer(self, request: web.Request, user: User) -> web.StreamResponse:
        path = request.path.rstrip("/")
        if path in self.pages:
            return await self.pages[path](request)
        fixed = self._fixed(path, request)
        if fixed is not None:
            return fixed
        target = self._target(path)
        suffix = f"/{target.subresource}" if target.subresource else ""
        self.requests[f"{request.method} {target.resource.plural}{suffix}"] += 1
        self.trouble.forbid(
            request.method, user, target.resource.group, target.resource.plural, target.namespace, target.name
        )
        if target.name:
            return await self._object(request, target)
        return await self._collection(request, target)

    def _fixed(self, path: str, request: web.Request) -> web.Response | None:
        """Paths beside objects: health, version, discovery, OpenAPI."""
        if path.startswith(("/healthz", "/livez", "/readyz")):
            return web.Response(text="ok")
        if path == "/version":
            return self._json(self.version)
        if path.startswith("/openapi/v3"):
            return self._openapi(path)
        parts = path.split("/")[1:] or [""]
        accept = request.headers.get("Accept", "")
        if parts in (["api"], ["apis"]):
            return self._discovery(parts[0], accept)
        body: Object | None = None
        if parts[0] == "api" and len(parts) == 2:
            body = discovery.resource_list(self.registry, "", parts[1]) if parts[1] == "v1" else None
        elif parts[0] == "apis" and len(parts) == 2:
            body = discovery.api_group(self.registry, parts[1])
        elif parts[0] == "apis" and len(parts) == 3:
            body = discovery.resource_list(self.registry, parts[1], parts[2])
        elif path == "":
            body = {
                "paths": [
                    "/api",
                    "/api/v1",
                    "/apis",
                    *(f"/apis/{group}" for group in self.registry.groups()),
                    "/healthz",
                    "/openapi/v3",
                    "/version",
                ]
            }
        else:
            return None
        if body is None:
            raise errors.no_such_path()
        return self._json(body)

    def _discovery(self, which: str, accept: str) -> web.Response:
        version = discovery.aggregated_version(accept)
        if version:
            body = discovery.aggregated(self.registry, core=which == "api", version=version)
            content_type = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
            return web.Response(
                body=json.dumps(body).encode(), headers={"Content-Type": content_type, "Vary": "Accept"}
            )
        if which == "api":
            return self._json(discovery.api_versions(f"{self.host}:{self.port}"))
        return self._json(discovery.api_group_list(self.registry))

    def _openapi(self, path: str) -> web.Response:
        parts = path.split("/")[3:]
        if not parts:
            return self._json(openapi.index(self.registry))
        pair = (parts[1], parts[2]) if len(parts) == 3 else None
        if parts[0] == "api" and len(parts) == 2:
            pair = ("", parts[1])
        body = openapi.document(self.registry, *pair) if pair else None
        if body is None:
            raise errors.no_such_path()
        return self._json(body)

    def _target(self, path: str) -> Target:
        """Raises ApiError 404 for what is not served."""
        parts = path.split("/")[1:] or [""]
        if parts[0] == "api" and len(parts) > 2:
            group, version, rest = "", parts[1], parts[2:]
        elif parts[0] == "apis" and len(parts) > 3:
            group, version, rest = parts[1], parts[2], parts[3:]
        else:
            raise errors.no_such_path()
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2 and not self._is_subresource(group, version, rest):
            namespace, rest = rest[1], rest[2:]
        resource = self.registry.find(group, version, rest[0])
        name, subresource = (rest[1] if len(rest) > 1 else ""), (rest[2] if len(rest) > 2 else "")
        known = resource is not None and len(rest) <= 3 and (not subresource or resource.serves(subresource))
        if resource is not None and resource.custom and len(rest) == 3 and not known and namespace:
            raise errors.not_found(resource.plural, resource.group, name)
        if (
            resource is None
            or not known
            or (namespace and not resource.namespaced)
            or (name and resource.namespaced and not namespace)
        ):
            raise errors.no_such_path()
        return Target(resource, namespace, name, subresource)

    def _is_subresource(self, group: str, version: str, rest: list[str]) -> bool:
        """``namespaces/<name>/status`` is not a resource ``status`` in a namespace."""
        resource = self.registry.find(group, version, "namespaces")
        return resource is not None and len(rest) == 3 and rest[2] in resource.subresources

    # verbs

    async def _collection(self, request: web.Request, target: Target) -> web.StreamResponse:
        resource, query = target.resource, request.query
        if request.method == "GET":
            fits = selectors.matcher(query, resource)
            if query.get("watch", "") in ("true", "1"):
                return await self._watch(request, target, fits)
            return self._list(request, target, fits)
        if request.method == "POST":
            if resource.namespaced and not target.namespace:
                raise errors.no_such_path() if resource.custom else errors.method_not_allowed()
            body = await self._body(request, resource)
            self._check_body(resource, body, target)
            warnings = self._unknown_fields(request, resource, body)
            self._check_namespace(target, body)
            created = self.store.create(
                resource, body, target.namespace, dry_run=_dry_run(request), manager=_manager(request)
            )
            return self._item(request, resource, created, 201, warnings)
        if request.method == "DELETE":
            fits = selectors.matcher(query, resource)
            options = await self._delete_options(request)
            items = self.store.listed(resource, target.namespace, fits)
            for item in items:
                where = item.item["metadata"]
                self.store.delete(
                    resource,
                    where["name"],
                    where.get("namespace", ""),
                    propagation=options.propagation,
                    dry_run=options.dry_run,
                )
            return self._list_of(
                resource,
                items,
                {**({"continue": ""} if resource.custom else {}), "resourceVersion": str(self.store.version)},
            )
        raise errors.method_not_allowed()

    def _check_namespace(self, target: Target, body: Object) -> None:
        namespaces = self.registry.find("", "v1", "namespaces")
        if not target.namespace or namespaces is None:
            return
        if not self.store.exists(namespaces, target.namespace):
            raise errors.not_found("namespaces", "", target.namespace)
        if self.store.stored(namespaces, target.namespace).item["metadata"].get("deletionTimestamp"):
            name = body["metadata"].get("name") or body["metadata"].get("generateName") or ""
            raise errors.namespace_terminating(target.resource.plural, target.resource.group, name, target.namespace)

    def _list(self, request: web.Request, target: Target, fits: selectors.Matcher) -> web.Response:
        page, metadata = self._lists.page(target.resource, target.namespace, fits, request.query)
        if _wants_table(request):
            items, include = [item.item for item in page], request.query.get("includeObject", "Metadata")
            return self._json(table(target.resource, items, metadata, self.store.now(), include=include))
        return self._list_of(target.resource, page, metadata)

    def _list_of(self, resource: Resource, items: list[Stored], metadata: Object) -> web.Response:
        """The objects as they are kept: nothing is decoded for a list."""
        head = json.dumps(
            {"kind": resource.list_kind, "apiVersion": resource.api_version, "metadata": metadata}
        ).encode()
        bodies = (
            item.raw if item.item["apiVersion"] == resource.api_version else _encode(resource.as_served(item.item))
            for item in items
        )
        body = head[:-1] + b',"items":[' + b",".join(bodies) + b"]}"
        return web.Response(body=body, headers={"Content-Type": "application/json"})

    async def _watch(self, request: web.Request, target: Target, fits: selectors.Matcher) -> web.StreamResponse:
        user = self.authentication.identify(request)
        watch = Watch(
            self.store, target.resource, target.namespace, fits, request.query, as_table=_wants_table(request)
        )
        watch.expires = lambda: self.trouble.take("api-410", user) is not None
        watch.starting_point()
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        with contextlib.suppress(ConnectionResetError):  # the client has closed the connection
            await watch.serve(response, lambda: self._ending)
        return response

    async def _object(self, request: web.Request, target: Target) -> web.StreamResponse:
        resource = target.resource
        if target.subresource == scale.NAME and resource.scale is not None:
            return await self._scale(request, target, resource.scale)
        if target.subresource in resource.actions:
            return await self._act(request, target)
        if request.method == "GET":
            return self._item(request, resource, self.store.get(resource, target.name, target.namespace))
        if request.method == "PUT":
            body = await self._body(request, resource)
            self._check_body(resource, body, target)
            if (
                resource.custom
                and not body["metadata"].get("resourceVersion")
                and self.store.exists(resource, target.name, target.namespace)
            ):
                raise errors.invalid(resource.plural, resource.group, target.name, [UNLOCKED])
            warnings = self._unknown_fields(request, resource, body)
            stored = self.store.update(
                resource,
                body,
                target.namespace,
                subresource=target.subresource,
                dry_run=_dry_run(request),
                manager=_manager(request),
            )
            return self._item(request, resource, stored, warnings=warnings)
        if request.method == "PATCH":
            return await self._patch(request, target)
        if request.method == "DELETE" and not target.subresource:
            return await self._delete(request, target)
        raise errors.method_not_allowed()

    async def _patch(self, request: web.Request, target: Target) -> web.Response:
        media_type = request.headers.get("Content-Type", "").split(";")[0].strip()
        accepted = (*patch.SUPPORTED, *([patch.STRATEGIC] if target.resource.strategic else []), patch.APPLY)
        if media_type not in accepted:
            raise errors.unsupported_media_type(accepted)
        if media_type == patch.APPLY:
            return await self._apply(request, target)
        if "force" in request.query:
            raise errors.bad_option("Patch", "force", "Forbidden: may not be specified for non-apply patch")
        body = _decode_patch(await request.read())
        current = target.resource.as_served(self.store.get(target.resource, target.name, target.namespace))
        patched = patch.apply_patch(current, media_type, body)
        if not isinstance(patched, dict) or not isinstance(patched.get("metadata"), dict):
            raise errors.bad_request("error decoding patch: the outcome is no object")
        self._check_body(target.resource, patched, target)
        warnings = self._unknown_fields(request, target.resource, patched)
        stored = self.store.update(
            target.resource,
            patched,
            target.namespace,
            subresource=target.subresource,
            dry_run=_dry_run(request),
            manager=_manager(request),
        )
        return self._item(request, target.resource, stored, warnings=warnings)

    async def _scale(self, request: web.Request, target: Target, scaled: Scale) -> web.Response:
        """Read or change the number of replicas; a change is one of the object itself, whose generation counts it."""
        current = target.resource.as_served(self.store.get(target.resource, target.name, target.namespace))
        if request.method == "GET":
            return self._json(scaled.show(current))
        media_type = request.headers.get("Content-Type", "").split(";")[0].strip()
        if request.method == "PATCH" and media_type in patch.SUPPORTED:
            body = patch.apply_patch(scaled.show(current), media_type, _decode_patch(await request.read()))
        elif request.method == "PUT" and media_type in (*JSON_TYPES, *YAML_TYPES):
            body = _decode(await request.read(), media_type)
        elif request.method in ("PATCH", "PUT"):
            raise errors.unsupported_media_type([*patch.SUPPORTED, "application/json"])
        else:
            raise errors.method_not_allowed()
        if not isinstance(body, dict):
            raise errors.bad_request("the object provided is unrecognized")
        changed = scaled.apply(
            {
                **current,
                "metadata": {name: value for name, value in current["metadata"].items() if name != "resourceVersion"},
            },
            body,
        )
        stored = self.store.update(
            target.resource, changed, target.namespace, dry_run=_dry_run(request), manager=_manager(request)
        )
        return self._json(scaled.show(target.resource.as_served(stored)))

    async def _act(self, request: web.Request, target: Target) -> web.Response:
        """A subresource that is only posted to."""
        if request.method != "POST":
            raise errors.method_not_allowed()
        media_type = request.headers.get("Content-Type", "").split(";")[0].strip()
        body = {} if media_type == protobuf.MEDIA_TYPE else _decode(await request.read(), media_type)
        if not isinstance(body, dict):
            raise errors.bad_request("the object provided is unrecognized")
        return self._json(
            target.resource.actions[target.subresource](self.store, target.namespace, target.name, body), 201
        )

    async def _apply(self, request: web.Request, target: Target) -> web.Response:
        """Server-side apply; creates what does not exist."""
        query, resource = request.query, target.resource
        if not query.get("fieldManager"):
            raise errors.bad_option("Patch", "fieldManager", "Required value: is required for apply patch")
        config = _decode(await request.read(), YAML_TYPES[0])
        if not isinstance(config, dict) or not config.get("apiVersion") or not config.get("kind"):
            raise errors.bad_request("invalid object type: /, Kind=")
        self._check_body(resource, config, target)
        if config["metadata"].get("managedFields"):
            raise errors.bad_request("metadata.managedFields must be nil")
        self._check_namespace(target, config)
        stored, created = self.store.apply(
            resource,
            target.name,
            target.namespace,
            config,
            manager=query["fieldManager"],
            force=query.get("force", "") in ("true", "1"),
            subresource=target.subresource,
            dry_run=_dry_run(request),
        )
        return self._item(request, resource, stored, 201 if created else 200)

    async def _delete_options(self, request: web.Request) -> DeleteOptions:
        body = (_decode(await request.read(), "") or {}) if request.can_read_body else {}
        # The query counts only where there is no body.
        propagation = str((body or request.query).get("propagationPolicy") or "")
        if not propagation and "orphanDependents" in body:
            propagation = "Orphan" if body["orphanDependents"] else "Background"
        if propagation not in ("", *PROPAGATION):
            text = f'Unsupported value: "{propagation}": supported values: "Foreground", "Background", "Orphan", "nil"'
            raise errors.bad_option("Delete", "propagationPolicy", text)
        dry_run = body.get("dryRun") == ["All"] if body else _dry_run(request)
        return DeleteOptions(propagation, dry_run, body.get("preconditions") or {})

    async def _delete(self, request: web.Request, target: Target) -> web.Response:
        options = await self._delete_options(request)
        removed = self.store.delete(
            target.resource,
            target.name,
            target.namespace,
            preconditions=options.preconditions,
            propagation=options.propagation,
            dry_run=options.dry_run,
        )
        if removed["metadata"].get("deletionTimestamp"):
            return self._item(request, target.resource, removed)
        details = {
            "name": target.name,
            "group": target.resource.group,
            "kind": target.resource.plural,
            "uid": removed["metadata"]["uid"],
        }
        details = {name: value for name, value in details.items() if value}
        return self._json(
            {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
        )

    # bodies

    async def _body(self, request: web.Request, resource: Resource) -> Object:
        media_type = request.headers.get("Content-Type", "").split(";")[0].strip()
        if media_type == protobuf.MEDIA_TYPE and resource.strategic:
            return _decode_protobuf(await request.read())
        if media_type not in (*JSON_TYPES, *YAML_TYPES):
            raise errors.unsupported_media_type(["application/json", "application/yaml"])
        raw = await request.read()
        try:
            body = _decode(raw, media_type)
        except ApiError as error:
            raise errors.bad_request(
                f"{_unrecognized(resource)}: couldn't get version/kind; {error.message}"
            ) from error
        if not isinstance(body, dict):
            raise errors.bad_request(f"{_unrecognized(resource)}: couldn't get version/kind; it is no object")
        for member in ("kind", "apiVersion") if resource.custom else ():
            if not body.get(member):
                text = raw.decode(errors="replace")
                summary = text if len(text) <= 30 else f"{text[:30]} ..."
                shown = member[0].upper() + member[1:]
                raise errors.bad_request(
                    f"{_unrecognized(resource)}: Object '{shown}' is missing in '{text}' ({summary})"
                )
        return body

    def _check_body(self, resource: Resource, body: Object, target: Target) -> None:
        """Kind, name and namespace of a body must be those of the path."""
        if (
            body.get("kind", resource.kind) != resource.kind
            or body.get("apiVersion", resource.api_version) != resource.api_version
        ):
            raise _mismatch(body, resource)
        if not isinstance(body.setdefault("metadata", {}), dict):
            raise errors.bad_request("metadata must be an object")
        metadata = body["metadata"]
        if target.name and metadata.setdefault("name", target.name) != target.name:
            raise errors.bad_request(
                f"the name of the object ({metadata['name']}) does not match the name on the URL ({target.name})"
            )
        if target.namespace and metadata.get("namespace", target.namespace) != target.namespace:
            raise errors.bad_request(
                "the namespace of the provided object does not match the namespace sent on the request"
            )

    def _unknown_fields(self, request: web.Request, resource: Resource, body: Object) -> list[str]:
        """By fieldValidation: refuse fields that the schema does not know, or warn of them (the default).

        Raises ApiError 400.
        """
        mode = request.query.get("fieldValidation") or "Warn"
        if mode not in ("Strict", "Warn", "Ignore"):
            text = f'Unsupported value: "{mode}": supported values: "", "Ignore", "Strict", "Warn"'
            raise errors.bad_option(_verb(request), "fieldValidation", text)
        if mode == "Ignore" or resource.structure is None:
            return []
        dropped: list[str] = []
        structural.prune(resource.structure, body, "", dropped)
        dropped += [f"metadata.{name}" for name in body["metadata"] if name not in MEMBERS]
        found = [f'unknown field "{path}"' for path in dropped]
        if found and mode == "Strict" and request.method == "PATCH":
            shown = json.dumps(json.dumps(body, separators=(",", ":")))
            raise errors.invalid(
                "", "", "", [("patch", (f"Invalid value: {shown}: strict decoding error: {', '.join(found)}"))]
            )
        if found and mode == "Strict":
            where = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
            raise errors.bad_request(f"{where}: strict decoding error: {', '.join(found)}")
        return found

    def _item(
        self, request: web.Request, resource: Resource, item: Object, status: int = 200, warnings: Sequence[str] = ()
    ) -> web.Response:
        item = resource.as_served(item)
        if _wants_table(request):
            metadata = {"resourceVersion": item["metadata"].get("resourceVersion", "")}
            body = table(
                resource, [item], metadata, self.store.now(), include=request.query.get("includeObject", "Metadata")
            )
            return self._json(body, status)
        response = self._json(item, status)
        for warning in warnings:
            response.headers.add("Warning", f"299 - {json.dumps(warning)}")
        return response

    def _json(self, body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
        return web.Response(
            status=status,
            body=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})},
        )


def _decode(raw: bytes, media_type: str) -> Any:
    if not raw.strip():
        return {}
    try:
        return yaml.safe_load(raw) if media_type in YAML_TYPES else json.loads(raw)
    except (ValueError, yaml.YAMLError) as error:
        raise errors.bad_request(f"the object provided is unrecognized (must be of type JSON): {error}") from error


def _decode_protobuf(raw: bytes) -> Object:
    try:
        body = protobuf.decode(raw)
    except ValueError as error:
        raise errors.bad_request(f"the object provided is unrecognized: {error}") from error
    if body is None:
        raise errors.unsupported_media_type(["application/json", "application/yaml"])
    return body


def _decode_patch(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError as error:
        raise errors.bad_request(f"error decoding patch: {error}") from error


def _verb(request: web.Request) -> str:
    return {"POST": "Create", "PUT": "Update", "DELETE": "Delete"}.get(request.method, "Patch")


def _dry_run(request: web.Request) -> bool:
    asked = request.query.get("dryRun", "")
    if asked not in ("", "All"):
        raise errors.bad_option(_verb(request), "dryRun", f'Unsupported value: ["{asked}"]: supported values: "All"')
    return asked == "All"


def _manager(request: web.Request) -> str:
    """Who writes: what the request says, else the program by its User-Agent."""
    return request.query.get("fieldManager") or request.headers.get("User-Agent", "").split("/")[0][:128] or "unknown"


def _wants_table(request: web.Request) -> bool:
    first = request.headers.get("Accept", "").split(",")[0].replace(" ", "")
    return "as=Table" in first and "g=meta.k8s.io" in first


def _unrecognized(resource: Resource) -> str:
    return f"the object provided is unrecognized (must be of type {resource.kind})"


def _mismatch(body: Object, resource: Resource) -> ApiError:
    kind, version = body.get("kind", resource.kind), body.get("apiVersion", resource.api_version)
    if version != resource.api_version:
        return errors.bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
    name = (body.get("metadata") or {}).get("name") or ""
    return errors.invalid(kind, resource.group, name, [("kind", f'Invalid value: "{kind}": must be {resource.kind}')])


def _encode(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()


@dataclasses.dataclass(frozen=True)
class DeleteOptions:
    propagation: str
    dry_run: bool
    preconditions: Mapping[str, Any]
