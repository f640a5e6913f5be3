"""A browser, answering one command on each line of standard input with one line on standard output.

call NAME NUMBERS...         of a function of its module: the result
reserve MIB                  lets the module's memory grow by so much, and says where that begins
time CALLS NAME NUMBERS...   calls a function so often, and says how many seconds that took by the page's own clock

From its environment: BROWSER_PROGRAM, a Chromium; BROWSER_FOLDER, where that keeps what it keeps; BROWSER_MODULE, a file of
WebAssembly, which an empty page is given.
"""

import base64
import fcntl
import json
import os
import subprocess
from pathlib import Path

from python_peer import answer, one_line, serve

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-breakpad", "--remote-debugging-pipe"]
PAGE = """(async () => {
  const code = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
  const kernels = (await WebAssembly.instantiate(code)).instance.exports;
  window.call = (name, ...numbers) => kernels[name](...numbers) ?? 0;
  window.reserve = (mib) => 65536 * kernels.memory.grow(16 * mib);
  window.time = (calls, name, ...numbers) => {
    const run = kernels[name], from = performance.now();
    for (let i = 0; i < calls; ++i) run(...numbers);
    return Math.max(performance.now() - from, .001) / 1e3;  // a clock that has not moved is too short a time, and not none
  };
})()"""


class Browser:
    """Spoken to in its DevTools' protocol: JSON that ends with a zero, on its descriptors 3 and 4."""

    def __init__(self, program, folder):
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for ends in (os.pipe(), os.pipe()) for end in ends]
        theirs, to, replies, back = high
        self.to, self.replies, self.count, self.page = os.fdopen(to, "wb"), os.fdopen(replies, "rb"), 0, {}

        def give_it_the_ends():
            os.dup2(theirs, 3)
            os.dup2(back, 4)

        subprocess.Popen([program, *FLAGS, f"--user-data-dir={folder}"], pass_fds=(3, 4), preexec_fn=give_it_the_ends)
        os.close(theirs)
        os.close(back)
        self.version = self.ask("Browser.getVersion")["product"]
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.page = {"sessionId": self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}

    def ask(self, method, **parameters):
        """The result of a command; what it tells unasked is not listened to."""
        self.count += 1
        self.to.write(json.dumps({"id": self.count, "method": method, "params": parameters, **self.page}).encode() + b"\0")
        self.to.flush()
        while (reply := self.read()).get("id") != self.count:
            pass
        if "error" in reply:
            raise RuntimeError(reply["error"]["message"])
        return reply["result"]

    def read(self):
        text = bytearray()
        while (byte := self.replies.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("it has ended")
            text += byte
        return json.loads(text)

    def evaluate(self, expression):
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", "it threw"))
        return found["result"].get("value")


def call(words):
    name, *numbers = words.split()
    answer(browser.evaluate(f"call('{name}', {', '.join(numbers)})"))


def time(words):
    calls, name, *numbers = words.split()
    answer(browser.evaluate(f"time({calls}, '{name}', {', '.join(numbers)})"))


try:
    browser = Browser(os.environ["BROWSER_PROGRAM"], os.environ["BROWSER_FOLDER"])
    browser.evaluate(PAGE % base64.b64encode(Path(os.environ["BROWSER_MODULE"]).read_bytes()).decode())
except Exception as error:
    answer(f"error: {one_line(error)}")
    raise SystemExit(1) from None
serve(browser.version, {"call": call, "time": time, "reserve": lambda mib: answer(browser.evaluate(f"reserve({mib})"))})
