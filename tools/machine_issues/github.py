"""GitHub's REST API, as far as an answer to an issue needs it, and the files that people attach to issues."""

import json
import urllib.error
import urllib.request
from urllib.parse import quote, urlsplit

from . import Refused

PATIENCE = 60  # s
KEEPS_FILES = ".githubusercontent.com"  # where GitHub's server sends those who fetch an attachment


class ApiError(Exception):
    """What GitHub refused to do; `status` is HTTP's."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class GitHub:
    """One repository, at the API that `api` addresses; `pages` is the address at which people see it."""

    def __init__(self, api: str, server: str, repository: str, token: str) -> None:
        self.base = f"{api}/repos/{quote(repository)}"
        self.pages = f"{server}/{quote(repository)}"
        self.token = token

    def ask(self, method: str, path: str, data: dict | None = None) -> dict | list:
        """What the API answers. Paths are made of names and numbers that rules here let through."""
        headers = {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {self.token}",
                   "X-GitHub-Api-Version": "2022-11-28", "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.base + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, f"{method} {path}: {error.code} {error.read(500).decode(errors='replace')}") from None

    def get(self, path: str) -> dict | list:
        return self.ask("GET", path)

    def post(self, path: str, data: dict) -> dict:
        return self.ask("POST", path, data)


class _OnlyGitHubs(urllib.request.HTTPRedirectHandler):
    """Follows a redirection only to GitHub, and only with encryption if it began with it."""

    def redirect_request(self, request, file, code, message, headers, target):
        begun, next_ = urlsplit(request.full_url), urlsplit(target)
        known = next_.netloc == begun.netloc or next_.netloc.endswith(KEEPS_FILES)
        if next_.scheme != begun.scheme or not known:
            raise Refused("The attached file isn't kept by GitHub: drag the file itself into the field Record.")
        return super().redirect_request(request, file, code, message, headers, target)


def fetched(address: str, most: int) -> bytes:
    """An attached file of at most `most` bytes; asked for without a token, since everybody may read it."""
    opener = urllib.request.build_opener(_OnlyGitHubs())
    try:
        with opener.open(address, timeout=PATIENCE) as response:
            found = response.read(most + 1)
    except OSError:  # URLError, HTTPError and timeouts among them
        raise Refused("GitHub doesn't have the attached file, or didn't send it: attach it again, as a new issue.") from None
    if len(found) > most:
        raise Refused(f"The attached file has more than {most >> 20} MiB, which no machine's records have: attach the file "
                      "that make publish names.")
    return found
