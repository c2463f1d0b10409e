"""Coconut documents: compiled infrastructure packages and resource graphs.

>>> import coconut_format
>>> document = coconut_format.from_bytes(b'{"vertices": {"web": {"port": 80}, "db": {"port": 5432}}}')
>>> document["web"]["port"]
80
>>> list(document)
['web', 'db']

`open` reads compiled documents and sources in JSON and YAML: plans and states of Terraform, exports
of Pulumi, manifests of Kubernetes, templates, schemas. Secrets read as `"[secret]"`, unless the
document was opened with `reveal=True`.
"""

from collections.abc import Mapping, Sequence

from ._errors import (
    AmbiguousKey,
    CoconutError,
    FormatError,
    LimitError,
    MissingKey,
    QueryError,
    UsageError,
)
from ._native import (
    Conversion,
    Diff,
    Document,
    Landmark,
    List,
    Object,
    compile,
    convert,
    diff,
    dumps,
    from_bytes,
    load,
    open,
)

Mapping.register(Document)
Mapping.register(Object)
Sequence.register(List)

__all__ = [
    "AmbiguousKey",
    "CoconutError",
    "Conversion",
    "Diff",
    "Document",
    "FormatError",
    "Landmark",
    "LimitError",
    "List",
    "MissingKey",
    "Object",
    "QueryError",
    "UsageError",
    "compile",
    "convert",
    "diff",
    "dumps",
    "from_bytes",
    "load",
    "open",
]
__version__ = "0.1.0"
