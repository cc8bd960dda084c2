# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define all retry policies of the collection, each with its reason. No other file sets the number of attempts.

A service may have two policies: one for reads and idempotent writes, which can be repeated safely, and a stricter one
for all other writes.
"""

from __future__ import annotations

import dataclasses

from .retry import Answers, Backoff, RetryPolicy

_ANY_STATUS = range(100, 1000)
_SERVER_FAULT = range(500, 1000)
_ANY_KIND = frozenset({"dns", "refused", "timeout", "slow", "tls", "proxy", "broken"})

# -- BMCs --------------------------------------------------------------------------------------------------------------

# BMCs drop connections and answer 5xx while they are busy. iDRAC (SYS518) and iLO also answer 400 then. Some name a
# pause.
_BMC_BUSY = (("SYS518",), ("iLO", "InvalidOperationForSystemState"))
# 501 and 505 are the same the next time.
_BMC_FAULT = frozenset(_SERVER_FAULT) - {501, 505}
_BMC_CONNECTION = frozenset({"refused", "timeout", "broken"})
BMC_REPEATABLE = RetryPolicy(
    10,
    Backoff(3.0),
    (Answers(_BMC_FAULT | {429}), Answers({400}, _BMC_BUSY)),
    _BMC_CONNECTION,
    longest_retry_after=60.0,
)
# A write that has another effect the second time is repeated only if the BMC did nothing: its answer states this, or it
# was not reached.
BMC_ONCE = dataclasses.replace(
    BMC_REPEATABLE,
    answers=(Answers({429, 503}), Answers(_BMC_FAULT | {400}, _BMC_BUSY)),
    unreachable=frozenset({"refused"}),
)
# An address without a BMC has to fail within seconds.
BMC_FIRST_CONTACT = RetryPolicy(3, Backoff(3.0), unreachable=frozenset({"refused", "timeout"}))
# A login with the right password is refused while the service starts. One that has no free session is not: basic
# authentication follows.
BMC_LOGIN = BMC_REPEATABLE.limited(6)
# A session that stays open occupies one of a few.
BMC_LOGOUT = BMC_REPEATABLE.limited(6)
# The caller reads whether the medium is there before it repeats an insert or eject whose answer was lost. 5xx: the BMC
# still closes the former medium.
BMC_MEDIA = RetryPolicy(
    6, Backoff(3.0), (Answers(_BMC_FAULT), Answers({412, 428})), _BMC_CONNECTION, longest_retry_after=60.0
)
# iDRAC holds the drive for minutes after another session has used it; jetlag repeats an insert 10 times, after 30 s
# each.
BMC_MEDIA_DELL = RetryPolicy(
    10,
    Backoff(30.0),
    (*BMC_MEDIA.answers, Answers({400, 403, 409}, (("VRM",), ("RAC",), ("SYS446",)))),
    _BMC_CONNECTION,
    longest_retry_after=60.0,
)
# Supermicro refuses a mount directly after an unmount; redhatci.ocp repeats it 10 times.
BMC_MEDIA_SUPERMICRO = RetryPolicy(10, Backoff(6.0), BMC_MEDIA.answers, _BMC_CONNECTION, longest_retry_after=60.0)
# iDRAC10 refuses power-on for up to a minute after power-off.
BMC_POWER = RetryPolicy(
    10,
    Backoff(10.0),
    (Answers({409}, (("ActionParameterValueConflict",),)), Answers(_BMC_FAULT)),
    _BMC_CONNECTION,
    longest_retry_after=60.0,
)
# Boot settings are read-only during POST, which takes minutes on large machines. An ETag is old if the answer to the
# former attempt was lost. RAC0679: a job of iDRAC runs.
BMC_BOOT_SETTINGS = RetryPolicy(
    8,
    Backoff(5.0, 2.0, 30.0),
    (Answers(_ANY_STATUS, (("UnableToModifyDuringSystemPOST",), ("RAC0679",))), Answers({412, 428})),
    longest_retry_after=60.0,
)
# openstack/sushy sushy/oem/dell/resources/manager/manager.py: an import is refused while another job runs, 35 times 15
# s.
BMC_DELL_IMPORT = RetryPolicy(
    36,
    Backoff(15.0),
    (Answers(_ANY_STATUS, (("RAC0679",),)), Answers(_BMC_FAULT)),
    _BMC_CONNECTION,
    longest_retry_after=60.0,
)

# -- services of a run -------------------------------------------------------------------------------------------------

# Seconds that each request waits for a service which has answered before. A restart of a hub or service takes less.
PATIENCE = 60.0
# kubernetes/client-go rest/request.go: up to 10 repeats of a request that the API answers with 429 or 5xx.
KUBE_ATTEMPTS = 11

# -- Kubernetes APIs ---------------------------------------------------------------------------------------------------

# 429 is the API's flow control, whatever the method. A refused connection carried no request. Clients set the number of
# attempts, and their patience with an API that has answered (an upgrade restarts kube-apiserver): PATIENCE in
# playbooks.
_KUBE_BACKOFF = Backoff(1.0, 2.0, 10.0)
KUBE_REPEATABLE = RetryPolicy(
    1,
    _KUBE_BACKOFF,
    (Answers({429, *_SERVER_FAULT}),),
    unreachable=frozenset({"timeout", "broken"}),
    longest_retry_after=30.0,
    away=frozenset({"refused", "broken"}),
)
# The API of a cluster whose Nodes decide what may be touched: it may be off, which must be known within seconds.
KUBE_EVIDENCE = RetryPolicy(KUBE_ATTEMPTS, _KUBE_BACKOFF, KUBE_REPEATABLE.answers, longest_retry_after=30.0)
KUBE_ONCE = RetryPolicy(1, _KUBE_BACKOFF, (Answers({429}),), longest_retry_after=30.0, away=frozenset({"refused"}))

# -- assisted-service --------------------------------------------------------------------------------------------------

# The option `retries` sets the number of attempts.
_ASSISTED_BACKOFF = Backoff(0.5, 2.0, 8.0)
ASSISTED_REPEATABLE = RetryPolicy(
    1,
    _ASSISTED_BACKOFF,
    (Answers({429, 502, 503, 504}),),
    frozenset({"refused", "dns", "broken", "timeout", "proxy"}),
    longest_retry_after=60.0,
)
# A gateway that says this has passed the request on to no server, so even one that creates something may be sent again.
_NOT_PASSED_ON = (("no healthy upstream",), ("Application is not available",))
ASSISTED_ONCE = RetryPolicy(
    1,
    _ASSISTED_BACKOFF,
    (Answers({429}), Answers({503}, _NOT_PASSED_ON)),
    frozenset({"refused", "dns"}),
    longest_retry_after=60.0,
)
# The exchange of an offline token has the same effect however often it is requested.
TOKEN_EXCHANGE = RetryPolicy(1, _ASSISTED_BACKOFF, (Answers({429, 500, 502, 503, 504}),), _ANY_KIND)
# An agent that still runs registers again between the deletion of its host and that of the InfraEnv.
ASSISTED_INFRA_ENV_DELETION = RetryPolicy(5, Backoff(0.0), (Answers({409}),))

# -- files -------------------------------------------------------------------------------------------------------------

# A transfer resumes where it stopped, so a repeat is cheap. A name that does not exist, a certificate that is not
# trusted and a server that is too slow are the same the second time.
DOWNLOAD = RetryPolicy(
    6, Backoff(1.0, 2.0, 15.0), (Answers({408, 429, 500, 502, 503, 504}),), _ANY_KIND - {"dns", "tls", "slow"}
)
# An upload begins again from its first byte.
UPLOAD = RetryPolicy(4, Backoff(1.0, 2.0, 15.0), DOWNLOAD.answers, DOWNLOAD.unreachable)
# A renewal of the lease of a stored state must be over well before the lease ends.
STATE_STORE = RetryPolicy(
    3, Backoff(1.0, 2.0), (Answers({429, *_SERVER_FAULT}),), frozenset({"refused", "timeout", "slow", "broken"})
)
# A discovery image may change during its transfer: a change of the InfraEnv makes the service build another one.
IMAGE_CHANGED = RetryPolicy(4, Backoff(0.0))

# -- notifications -----------------------------------------------------------------------------------------------------

# A chat that limits messages names a pause. A notification that arrives twice is better than one that is lost.
WEBHOOK = RetryPolicy(
    3,
    Backoff(1.0, 2.0),
    (Answers({429, *_SERVER_FAULT}),),
    frozenset({"refused", "timeout", "broken"}),
    longest_retry_after=10.0,
)

# -- supervision of an installation ------------------------------------------------------------------------------------

# Each look at the installation may try again, not earlier than after the pause. A repaired host needs that long to
# boot.
DETACH = RetryPolicy(3, Backoff(30.0))
REPAIR = RetryPolicy(2, Backoff(900.0))
# The Agents of a hub show the next stage of a host minutes later, so no pause is needed.
HUB_DETACH = RetryPolicy(3, Backoff(0.0))

# -- looks at something that changes -----------------------------------------------------------------------------------

# Hosts appear minutes after their boot.
REGISTRATION_LOOKS = Backoff(1.0, 2.0, 30.0)
# While only time passes, the hub's clock is read now and then: it may run faster or slower than ours.
HUB_CLOCK_LOOKS = Backoff(1.0, 2.0, 15.0)
