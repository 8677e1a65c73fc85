"""A stand-in for the interfaces of GitHub and GitLab that comments go through: a real server, comments in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

BUILD = "build"
"""The account of the token of a build."""
TOKENS = {"may-write": BUILD, "may-read": BUILD}
PAGE = 100


@dataclass
class Comment:
    """A comment on the one request there is."""

    id: int
    author: str
    body: str
    edits: int = 0


@dataclass
class Comments:
    """All comments on a pull or merge request, and the address of the server."""

    address: str = ""
    all: list[Comment] = field(default_factory=list)

    def add(self, author: str, body: str) -> Comment:
        self.all.append(Comment(len(self.all) + 1, author, body))
        return self.all[-1]

    @property
    def of_builds(self) -> list[Comment]:
        return [comment for comment in self.all if comment.author == BUILD]

    def github(self, token: str = "may-write") -> dict[str, str]:
        return {
            "GITHUB_API_URL": self.address,
            "GITHUB_GRAPHQL_URL": f"{self.address}/graphql",
            "GITHUB_TOKEN": token,
        }

    def gitlab(self, token: str = "may-write") -> dict[str, str]:
        return {
            "CI_API_V4_URL": f"{self.address}/api/v4",
            "CI_MERGE_REQUEST_PROJECT_ID": "7",
            "CI_MERGE_REQUEST_IID": "1",
            "KEEPSTATE_COMMENT_TOKEN": token,
        }


class _Handler(BaseHTTPRequestHandler):
    comments: Comments

    def log_message(self, *_: object) -> None:
        """Write nothing."""

    def _body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")

    def _send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self) -> None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or self.headers.get("PRIVATE-TOKEN")
        body = self._body()
        if token not in TOKENS:
            return self._send(401, {"message": "Bad credentials"})
        path, method = urlsplit(self.path), self.command
        reads = method == "GET" or path.path == "/graphql"
        if token == "may-read" and not reads:
            return self._send(403, {"message": "Resource not accessible by integration"})
        if path.path == "/graphql":
            return self._send(200, self._graphql(body["variables"]))
        if path.path == "/api/v4/user":
            return self._send(200, {"id": BUILD})
        if (path.path, method) == ("/api/v4/projects/7/merge_requests/1/notes", "GET"):
            query = {key: value[0] for key, value in parse_qs(path.query).items()}
            start = (int(query["page"]) - 1) * PAGE
            page = self.comments.all[start : start + int(query["per_page"])]
            return self._send(200, [{"id": one.id, "author": {"id": one.author}, "body": one.body} for one in page])
        if method == "POST" and path.path in (
            "/repos/OWNER/shop-jobs/issues/1/comments",
            "/api/v4/projects/7/merge_requests/1/notes",
        ):
            return self._send(201, {"id": self.comments.add(TOKENS[token], body["body"]).id})
        edited = re.fullmatch(r"/repos/OWNER/shop-jobs/issues/comments/(\d+)", path.path)
        edited = edited or re.fullmatch(r"/api/v4/projects/7/merge_requests/1/notes/(\d+)", path.path)
        if edited and method == ("PATCH" if path.path.startswith("/repos") else "PUT"):
            comment = self.comments.all[int(edited[1]) - 1]
            comment.body, comment.edits = body["body"], comment.edits + 1
            return self._send(200, {"id": comment.id})
        return self._send(404, {"message": f"Not Found: {method} {path.path}"})

    def _graphql(self, variables: dict[str, Any]) -> dict[str, Any]:
        assert (variables["owner"], variables["name"], variables["number"]) == ("OWNER", "shop-jobs", 1)
        start = int(variables["after"] or 0)
        page = self.comments.all[start : start + PAGE]
        nodes = [{"databaseId": one.id, "body": one.body, "viewerDidAuthor": one.author == BUILD} for one in page]
        more = {"hasNextPage": len(self.comments.all) > start + PAGE, "endCursor": str(start + PAGE)}
        return {"data": {"repository": {"pullRequest": {"comments": {"nodes": nodes, "pageInfo": more}}}}}


for _method in ("GET", "POST", "PUT", "PATCH"):
    setattr(_Handler, f"do_{_method}", _Handler._answer)


@contextmanager
def host() -> Iterator[Comments]:
    """A server with the comments of pull request 1 of OWNER/shop-jobs and merge request 1 of project 7."""
    comments = Comments()
    handler = type("Handler", (_Handler,), {"comments": comments})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        comments.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield comments
        finally:
            server.shutdown()
            thread.join()
