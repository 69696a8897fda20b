"""A headless Chromium, driven over its DevTools protocol by a pair of pipes: the standard library and nothing else."""
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time

SECONDS = 180  # for one answer


class Browser:
    """Owns the process and its profile; close() ends both."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="asctune-browser-", ignore_cleanup_errors=True)
        to_read, self.to = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        self.from_, from_write = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())

        def give():  # the browser reads 3 and writes 4
            os.dup2(to_read, 3)
            os.dup2(from_write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
             "--force-device-scale-factor=1", "--user-data-dir=" + self.profile.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=give)
        os.close(to_read)
        os.close(from_write)
        self.bytes, self.number, self.events = b"", 0, []

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.from_)
        self.profile.cleanup()

    def _receive(self, until):
        while b"\0" not in self.bytes:
            if not select.select([self.from_], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.from_, 1 << 20)
            if not more:
                raise ConnectionError("the browser has ended")
            self.bytes += more
        one, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **params):
        """The answer; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + SECONDS
        while True:
            answer = self._receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, session):
        """Until such an event has come."""
        until = time.monotonic() + SECONDS
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self._receive(until))


class Page:
    """One tab. What it logs as wrong is in `complaints`, what it asks for in `requests`."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def open(self, path, fragment=""):
        for url in ("about:blank", "file://" + os.path.abspath(path) + fragment):  # an address that differs by its fragment alone loads nothing
            self.browser.events.clear()
            self.call("Page.navigate", url=url)
            self.browser.wait("Page.loadEventFired", self.session)

    def ask(self, expression):
        """The value of JavaScript, awaited where it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def ask_until(self, expression, wanted):
        """The same when it has become what is wanted, or what it still is after some seconds: what is drawn follows in its own time."""
        until = time.monotonic() + 5
        value = self.ask(expression)
        while value != wanted and time.monotonic() < until:
            time.sleep(0.05)
            value = self.ask(expression)
        return value

    def press(self, key, text="", code=0, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      modifiers=8 if shift else 0, **({"text": text} if text and kind == "keyDown" else {}))

    def size(self, width, height=900):
        """The page is laid out anew, and need not be opened again."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask_until("innerWidth", width)

    def media(self, kind="", scheme=""):
        self.call("Emulation.setEmulatedMedia", media=kind, features=[{"name": "prefers-color-scheme", "value": scheme}] if scheme else [])

    def script(self, on):
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def picture(self):
        """PNG of what is in sight."""
        return self.call("Page.captureScreenshot", format="png")["data"]

    def of(self, *methods):
        return [e["params"] for e in self.browser.events if e.get("sessionId") == self.session and e.get("method") in methods]

    @property
    def complaints(self):
        self.ask("0")
        out = [p["entry"]["text"] for p in self.of("Log.entryAdded") if p["entry"]["level"] in ("error", "warning")]
        out += [p["exceptionDetails"]["text"] for p in self.of("Runtime.exceptionThrown")]
        return out + [p["type"] for p in self.of("Runtime.consoleAPICalled") if p["type"] in ("error", "warning", "assert")]

    @property
    def requests(self):
        """Of anything but the file itself."""
        asked = [p["request"]["url"] for p in self.of("Network.requestWillBeSent")]
        return asked[1:] + [u for u in asked[:1] if not u.startswith("file://")]
