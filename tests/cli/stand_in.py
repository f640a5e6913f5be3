"""A stand-in for GitHub: the parts of its REST API that an answer to an issue uses, with commits, trees and branches in memory, and
files attached to issues."""

import base64
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPOSITORY = "reader/book"
BASE = "0" * 40  # main's commit


class GitHub:
    """Its state. `forbids` holds the ends of paths that it refuses to post to, with 403."""

    def __init__(self):
        self.refs = {"refs/heads/main": BASE}
        self.objects = {BASE: {"tree": {"sha": "main's tree"}, "parents": []}, "main's tree": {}}
        self.comments, self.pulls, self.attached, self.asked, self.forbids = [], [], {}, [], set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def files(self, branch):
        """{path: content} of a branch's files, without main's."""
        return self.objects[self.objects[self.refs[f"refs/heads/{branch}"]]["tree"]["sha"]]

    def keep(self, thing):
        sha = hashlib.sha1(repr((thing, len(self.objects))).encode()).hexdigest()
        self.objects[sha] = thing
        return {"sha": sha}

    def get(self, path):
        if path == "":
            return 200, {"default_branch": "main"}
        if found := re.fullmatch("/git/commits/([0-9a-f]{40})", path):
            return 200, {"sha": found[1], **self.objects[found[1]]}
        if found := re.fullmatch("/git/matching-refs/(heads/.*)", path):
            return 200, [{"ref": ref, "object": {"sha": sha}} for ref, sha in self.refs.items() if ref.startswith(f"refs/{found[1]}")]
        return 404, {"message": "Not Found"}

    def post(self, path, data):
        if any(path.endswith(end) for end in self.forbids):
            return 403, {"message": "Resource not accessible by integration"}
        if path == "/git/blobs":
            return 201, self.keep(base64.b64decode(data["content"], validate=True))
        if path == "/git/trees":
            entries = {entry["path"]: self.objects[entry["sha"]] for entry in data["tree"] if entry["mode"] == "100644"}
            return 201, self.keep({**self.objects[data.get("base_tree")], **entries} if "base_tree" in data else entries)
        if path == "/git/commits":
            return 201, self.keep({"tree": {"sha": data["tree"]}, "parents": data["parents"], "message": data["message"]})
        if path == "/git/refs":
            if data["ref"] in self.refs:
                return 422, {"message": "Reference already exists"}
            self.refs[data["ref"]] = data["sha"]
            return 201, {}
        if path == "/pulls":
            self.pulls.append(data)
            return 201, {"number": 100 + len(self.pulls)}
        if found := re.fullmatch(r"/issues/(\d+)/comments", path):
            self.comments.append((int(found[1]), data["body"]))
            return 201, {}
        return 404, {"message": "Not Found"}

    def patch(self, path, data):
        ref = path.replace("/git/", "", 1)
        if self.refs[ref] not in self.objects[data["sha"]]["parents"]:
            return 422, {"message": "Update is not a fast forward"}
        self.refs[ref] = data["sha"]
        return 200, {}

    def handler(self):
        github = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self):
                github.asked.append((self.command, self.path, self.headers.get("Authorization")))
                if self.path in github.attached:
                    status, content, target = github.attached[self.path]
                    self.send_response(status)
                    if target:
                        self.send_header("Location", target)
                    self.end_headers()
                    self.wfile.write(content)
                    return
                prefix = f"/api/repos/{REPOSITORY}"
                status, found = 404, {"message": "Not Found"}
                if self.path.startswith(prefix) and self.headers.get("Authorization") == "Bearer secret":
                    path, length = self.path.removeprefix(prefix), int(self.headers.get("Content-Length") or 0)
                    data = json.loads(self.rfile.read(length)) if length else None
                    status, found = github.get(path) if self.command == "GET" else getattr(github, self.command.lower())(path, data)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(found).encode())

            do_GET = do_POST = do_PATCH = answer

        return Handler
