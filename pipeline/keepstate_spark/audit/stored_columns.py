"""The columns of everything that an audit stores. ``docs/audit.md`` explains those that are published.

Published columns are a contract: a new one may be added, none is taken away or changed in meaning without another
``SCHEMA_VERSION``.
"""

from __future__ import annotations

SCHEMA_VERSION = 1

_TERMS = "map<string,string>"
_TEXTS = "array<struct<path:string,role:string,text:string>>"
_FILES = "array<struct<path:string,blob:string,former_blob:string,role:string,touched:boolean>>"
_ASSUMED = "array<struct<name:string,path:string>>"

HISTORY = f"""
repository string, sequence int, ordinal bigint, kind string,
commit string, committed_at timestamp_ltz, author string, subject string, is_merge boolean,
job string, path string, former_path string, status string, reason string, mend string,
pair string, files {_FILES}, assumed {_ASSUMED},
baseline_blob string, baseline_text string, baseline_parameters {_TERMS}, baseline_engine_version string,
baseline_files {_TEXTS},
current_blob string, current_text string, current_parameters {_TERMS}, current_engine_version string,
current_files {_TEXTS},
landmark string, whole boolean
"""
"""Columns of the history that was read. ``kind`` is ``change``, ``problem`` (of the repository) or ``end`` (of a
reading, the ``sequence``-th of its repository).
"""

FINDING = (
    "struct<rule:string,spec:array<string>,query_kind:string,verdict:string,effect:string,message:string,"
    "change:string,pipeline:string,text:string,baseline_text:string,file:string,line:int,character:int,removed:boolean,"
    "parameter:string,key:string,fixes:array<struct<kind:string,title:string,verdict_after:string>>>"
)
REPORTS = f"""
pair string, outcome string, reason string, verdict string, effect string, unchanged boolean,
unread int, findings array<{FINDING}>, remedy string, remedy_verdict string, milliseconds int, allowance double
"""
"""Columns of the reports on pairs. ``outcome`` is ``judged``, ``unread`` (a part of a text cannot be read, the rest was
judged), ``not-valid`` (Flink refuses a statement of the current text, the rest was judged), ``failed``, ``timed-out``
or ``crashed``. ``allowance`` is its limit in seconds of CPU time, ``milliseconds`` the time that it took.
"""
