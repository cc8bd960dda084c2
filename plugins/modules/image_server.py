#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: image_server
short_description: Publish an image for BMCs, and withdraw it
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - With O(publish.method=serve) the module starts an HTTP server in a separate process. It serves only this file, with
    range requests. It continues when Ansible ends, and stops when the image is deleted or after O(max_seconds).
  - The path of the URL contains a token of 128 random bits. It stays the same until the image is withdrawn with
    O(state=stopped), so that a medium that a killed run left attached is recognised. The next deployment has another
    token.
  - The token is a secret. Results and logs show it as C(<hidden>). M(zerotouch.openshift.boot_hosts) reads it from
    C(state.json), and RV(url_file) contains the complete URL for machines that are booted manually.
  - With O(publish.method=directory) the image is copied into a directory that a web server serves, with
    O(publish.method=none) the user serves it.
  - With O(publish.method=upload) the image is sent with HTTP PUT to a server from which BMCs read it, and then compared
    with what that server returns. Files of C(boot-artifacts/) in O(work_dir) are uploaded too. A file that the server
    has already is not sent again.
  - Where hosts load the root file system of the image from a URL (a minimal ISO), it is looked for there first; if it
    is not there, nothing is published.
  - The image holds credentials. Every client that knows the URL and reaches the address can read it. Publish it in the
    management network only.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.pending
attributes:
  check_mode:
    support: full
    details: The image need not exist. In place of a token or port that only a real run can know the URL has
      V(predicted) and V(0).
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  state:
    description: V(started) publishes the image, V(stopped) ends the server, removes the copy, or deletes the uploaded
      files with O(publish.delete).
    type: str
    choices: [started, stopped]
    default: started
  work_dir:
    description: The work directory of the deployment. C(state.json) in it records what is published,
      C(logs/image-server.log) every request.
    type: path
    required: true
  path:
    description: The image. By default the one that M(zerotouch.openshift.agent_image) built in O(work_dir).
    type: path
  publish:
    description: How the image reaches the BMCs, as C(openshift_publish) says it.
    type: dict
    default: {}
    suboptions:
      method:
        description: V(serve), V(directory), V(upload) or V(none).
        type: str
        choices: [serve, directory, upload, none]
        default: serve
      listen:
        description: Address to listen on; V(::) listens on IPv4 and IPv6.
        type: str
        default: 0.0.0.0
      port:
        description: Port to listen on; V(0) takes a free one and keeps it for the work directory as long as it stays
          free.
        type: int
        default: 0
      url:
        description:
          - Base URL by which BMCs reach the server or the directory. With O(publish.method=none) it is the URL of the
            image itself, which must end in C(.iso).
          - With O(publish.method=upload) the image is written to, and read from, C(<url>/<token>/<name of the image>),
            and files of C(boot-artifacts/) C(<url>/<name>). Use the same URL in C(bootArtifactsBaseURL).
          - By default, with O(publish.method=serve), the address of the interface that leads to O(bmc_addresses). If it
            is set, O(publish.port) is required too, because a proxy or port forwarding must lead to that port.
          - A user, a password, a query, a fragment and white space are refused.
        type: str
      directory:
        description: Existing directory for O(publish.method=directory). The copy goes into a directory below it whose
          name cannot be guessed.
        type: path
      mode:
        description:
          - Mode of the copy, octal and in quotes. The image holds credentials; V("0644") makes its copy readable for
            all, which some web servers need.
          - A mode in which group or others can write is refused.
        type: raw
        default: "0640"
      headers:
        description:
          - Headers of each PUT and DELETE of O(publish.method=upload), such as C(Authorization). The values are secret.
          - BMCs send no headers, so the files are compared without them, if the server allows that.
        type: dict
        default: {}
      verify:
        description:
          - How an uploaded file is compared with what the server returns. V(ranges) compares the size, the first 64 KiB
            and the last 64 KiB, V(digest) each byte, by SHA-256.
          - On the next run V(ranges) also compares the C(ETag), and the local file with the one that was uploaded.
        type: str
        choices: [ranges, digest]
        default: ranges
      delete:
        description: Delete uploaded files with O(state=stopped). By default they stay, and the result says so. Files on
          the server of an earlier O(publish.url) stay, with a warning.
        type: bool
        default: false
      image_access:
        description: How BMCs read the image. Not used here; the role C(boot_hosts) passes it on to
          M(zerotouch.openshift.boot_hosts).
        type: dict
        suboptions:
          username:
            description: User at the server of the image.
            type: str
          password:
            description: Password of that user.
            type: str
          ca_cert:
            description: CA of the server's certificate, as path or PEM.
            type: str
          validate_certs:
            description: Whether the BMCs verify the certificate of the server.
            type: bool
      tls:
        description: Serve HTTPS. Many BMCs refuse certificates of private CAs. A renewed certificate replaces a running
          server.
        type: dict
        suboptions:
          certificate:
            description: PEM file with the certificate and its chain.
            type: path
            required: true
          key:
            description: PEM file with the key, if it is not in the same file.
            type: path
  bmc_addresses:
    description: Addresses of the BMCs that will read the image, to find the interface that leads to them. Nothing is
      sent to them.
    type: list
    elements: str
    default: []
  max_seconds:
    description:
      - How long the server lives at most. Each run of this task restarts that time.
      - A longer time replaces a running server. A shorter one keeps it, with its own time, because machines may read
        the image.
    type: int
    default: 86400
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Used to find the interface that
        leads to the BMCs.
    type: dict
    default: {}
  ca_cert:
    description: CA of the server of O(publish.method=upload), as path or PEM, in addition to the system's.
    type: str
"""

EXAMPLES = r"""
- name: Upload the image to a server with WebDAV
  zerotouch.openshift.image_server:
    work_dir: clusters/kni22
    publish:
      method: upload
      url: https://files.example.com/images
      headers:
        Authorization: "Bearer {{ files_token }}"

- name: Serve the image of a deployment
  zerotouch.openshift.image_server:
    work_dir: clusters/kni22
    bmc_addresses: ["redfish-virtualmedia+https://10.0.0.11", "redfish-virtualmedia+https://10.0.0.12"]
  register: published

- name: Copy the image to the directory of a web server
  zerotouch.openshift.image_server:
    work_dir: clusters/kni22
    publish:
      method: directory
      directory: /var/www/html/images
      url: http://192.0.2.10/images
      mode: "0644"

- name: Stop
  zerotouch.openshift.image_server:
    work_dir: clusters/kni22
    state: stopped
"""

RETURN = r"""
url:
  description:
    - URL of the image for the BMCs. The token in it is hidden.
    - M(zerotouch.openshift.boot_hosts) with O(ignore:state_file) accepts the URL in this form.
  returned: success
  type: str
  sample: http://192.0.2.10:40123/<hidden>/agent.x86_64.iso
url_file:
  description: The file with the complete URL. Only the user who runs the module can read it. O(state=stopped) deletes
    the file.
  returned: success
  type: str
  sample: clusters/kni22/auth/image-url
path:
  description: The image.
  returned: success
  type: str
method:
  description: How it is published.
  returned: success
  type: str
listen:
  description: Address that the server listens on.
  returned: success
  type: str
port:
  description: Port that the server listens on; 0 without a server, and in check mode where it is not known.
  returned: success
  type: int
pid:
  description: Process id of the server; 0 without one.
  returned: success
  type: int
copy_path:
  description: The copy, with O(publish.method=directory). The token in it is hidden.
  returned: success
  type: str
reason:
  description: What was done and why, or why nothing was.
  returned: success
  type: str
withdrawn:
  description: V(false) if O(state=stopped) could not end the publication, for example because the file server does not
    answer. The next call repeats it.
  returned: failure of O(state=stopped)
  type: bool
state_file:
  description: The file that records what is published.
  returned: success
  type: str
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.options import image_access_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import (
    PENDING_OPTION,
    Call,
    run_module,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.publication import (
    publish_image,
    withdraw_image,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import (
    DEFAULT_LIFE,
    DEFAULT_LISTEN,
    METHODS,
    VERIFY,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    tls = {"certificate": {"type": "path", "required": True}, "key": {"type": "path", "no_log": False}}
    publish = {
        "method": {"type": "str", "choices": list(METHODS), "default": "serve"},
        "listen": {"type": "str", "default": DEFAULT_LISTEN},
        "port": {"type": "int", "default": 0},
        "url": {"type": "str"},
        "directory": {"type": "path"},
        "mode": {"type": "raw", "default": "0640"},
        "headers": {"type": "dict", "default": {}},
        "verify": {"type": "str", "choices": list(VERIFY), "default": "ranges"},
        "delete": {"type": "bool", "default": False},
        "image_access": {"type": "dict", "options": image_access_spec()},
        "tls": {"type": "dict", "options": tls},
    }
    return {
        "state": {"type": "str", "choices": ["started", "stopped"], "default": "started"},
        "work_dir": {"type": "path", "required": True},
        **PENDING_OPTION,
        "path": {"type": "path"},
        "publish": {"type": "dict", "options": publish, "default": {}},
        "bmc_addresses": {"type": "list", "elements": "str", "default": []},
        "max_seconds": {"type": "int", "default": DEFAULT_LIFE},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def run(call: Call) -> dict[str, Any]:
    work_dir = WorkDir(Path(call.params["work_dir"]).absolute())
    call.add_secrets(known_secrets(work_dir))
    if call.params["state"] == "stopped":
        if call.pending:
            return call.predict("stop publishing the image when no host reads it")
        result, warnings = withdraw_image(call.params, call.clock, check_mode=call.check_mode)
        for warning in warnings:
            call.warn(warning)
        return result
    result, warnings = publish_image(call.params, call.clock, check_mode=call.check_mode)
    call.add_secrets(known_secrets(work_dir))  # the token that this call has created
    for warning in warnings:
        call.warn(warning)
    if result["changed"] and result["method"] == "upload":
        call.plan([f"{step}, to {result['url'].rpartition('/')[0]}" for step in result["reason"].split("; ")])
    elif result["changed"]:
        call.plan([f"publish {result['path']} ({result['reason']})"])
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
