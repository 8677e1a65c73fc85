"""The hashes by which git names contents: equal contents are found without reading the objects."""

from __future__ import annotations

try:
    # As ``random`` of the standard library does: hashlib loads OpenSSL, which takes as long as ten modules.
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:
    from hashlib import sha1


def object_hash(data: bytes, kind: str, like: str) -> str:
    """The hash of an object of a kind (``blob``, ``tree``, ``commit``) with this content, by the algorithm that the
    hash ``like`` was made with.
    """
    return _hash(b"%b %d\0%b" % (kind.encode(), len(data), data), like)


def blob_hash(data: bytes, like: str) -> str:
    """The hash of a blob with this content, as ``object_hash`` makes it."""
    return _hash(b"blob %d\0" % len(data) + data, like)


def _hash(data: bytes, like: str) -> str:
    if len(like) == 40:
        return sha1_of(data).hex()
    import hashlib

    return hashlib.sha256(data, usedforsecurity=False).hexdigest()


def sha1_of(data: bytes) -> bytes:
    """The SHA-1 of ``data``, against damage and not against attacks."""
    digest: bytes = sha1(data, usedforsecurity=False).digest()
    return digest


def holds(data: bytes, blob: str) -> bool:
    """Return whether ``data`` is the content of ``blob``, perhaps with other line ends.

    >>> holds(b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
    True
    """
    return blob_hash(data, blob) == blob or (b"\r\n" in data and blob_hash(data.replace(b"\r\n", b"\n"), blob) == blob)
