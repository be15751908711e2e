"""A person with a browser: drives a Chromium that is installed through the pages of a running stormbell.

    browser.py PLAN     # PLAN is a JSON object: base, login_url, chromium, shots, vapid_key

Logs in by the link, adds a place, sees it rise without a reload, turns push on (the subscription is ours: Chromium's own wants
its vendor's service), takes what arrives at the push service and hands it to the service worker by the DevTools protocol, presses
the notification on the desktop of desktop.py (run it below dbus-run-session), opens the place's page and asks why it rose. Looks at every page in two widths and two colour schemes. Prints one JSON object with what it saw; anything
that is wrong with a page is in its `faults`.
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import queue

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

here = pathlib.Path(__file__).resolve().parent
plan = json.loads(sys.argv[1])
base = plan["base"]
shots = pathlib.Path(plan["shots"])
shots.mkdir(parents=True, exist_ok=True)
WIDTHS = [(390, 844), (1280, 860)]
SCHEMES = ["light", "dark"]
STEP_MS = 60_000
PLACE = "37.74, -98.21"
BROWSER = {"executable_path": plan["chromium"], "args": ["--no-sandbox", "--disable-dev-shm-usage"]}
faults = []
seen = {}


class PushService:
    """The push service and the browser's keys, in a process of their own."""

    def __init__(self, key):
        self.start([sys.executable, here / "push_service.py", "--key", key])

    def start(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.events = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.ready = self.next()

    def _read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))

    def next(self, seconds=60):
        return self.events.get(timeout=seconds)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


# What lies over something else, sticks out, or has too little contrast; as one script, so that one look is of one moment.
LOOK = """() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window by ${document.documentElement.scrollWidth - innerWidth} px`);
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.unseen, .skip, .line');
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.data.trim() || !isSeen(node.parentElement) || node.parentElement.closest('title, noscript, option')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      // The glyphs, not the room between lines.
      const inset = box.height * 0.2;
      if (box.width > 1) texts.push({ words: node.data.trim().slice(0, 40), left: box.left + 1, right: box.right - 1, top: box.top + inset, bottom: box.bottom - inset });
    }
  }
  for (let a = 0; a < texts.length; a++) for (let b = a + 1; b < texts.length; b++) {
    const [one, other] = [texts[a], texts[b]];
    if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom) faults.push(`"${one.words}" lies over "${other.words}"`);
  }
  for (const text of texts) if (text.right > innerWidth + 1 || text.left < -1) faults.push(`"${text.words}" sticks out`);
  const channel = (value) => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  for (const chip of document.querySelectorAll('.chip')) {
    const style = getComputedStyle(chip);
    const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (!chip.textContent.trim()) faults.push('a level without a word');
    if (style.backgroundColor !== 'rgba(0, 0, 0, 0)' && contrast < 4.5) faults.push(`the chip ${chip.textContent}: contrast ${contrast.toFixed(2)}`);
  }
  for (const button of document.querySelectorAll('button, input:not([type=hidden]):not([type=checkbox]), select')) {
    if (!isSeen(button)) continue;
    const box = button.getBoundingClientRect();
    if (box.height < 40 || box.width < 40) faults.push(`${button.id || button.textContent}: ${box.width.toFixed()} x ${box.height.toFixed()} px is small for a finger`);
  }
  return faults;
}"""


def watch(page, name):
    """Notes what a page says that it should not."""

    def console(message):
        if message.type in ("error", "warning"):
            faults.append(f"{name}: console {message.type}: {message.text}")

    def request(request):
        if not request.url.startswith((base, "data:", "blob:")):
            faults.append(f"{name}: asked {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: faults.append(f"{name}: {error}"))
    page.on("request", request)


def live(page):
    page.wait_for_selector('html[data-line="live"]', timeout=STEP_MS)


def injected(service):
    """A browser's own subscribe, with an endpoint and keys of ours."""
    return """
      const key = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer;
      const made = {
        endpoint: 'http://127.0.0.1:%(port)d/push/1', expirationTime: null,
        toJSON: () => ({ endpoint: made.endpoint, expirationTime: null, keys: { p256dh: '%(p256dh)s', auth: '%(auth)s' } }),
        unsubscribe: async () => { sessionStorage.removeItem('pushed'); return true; },
      };
      PushManager.prototype.subscribe = async (options) => {
        if (!options.userVisibleOnly || new Uint8Array(options.applicationServerKey).length !== 65) throw new Error('not a VAPID key');
        sessionStorage.setItem('pushed', '1');
        return made;
      };
      PushManager.prototype.getSubscription = async () => (sessionStorage.getItem('pushed') ? made : null);
    """ % service.ready


# Writes down how the line is said to stand, from the first moment on.
LINES = """
  window.lines = [];
  new MutationObserver(() => window.lines.push(document.documentElement.dataset.line))
    .observe(document, { subtree: true, attributes: true, attributeFilter: ['data-line'] });
"""


def look(browser, cookies, pages):
    """Every page in two widths and two schemes: a picture, and what is wrong with it."""
    for scheme in SCHEMES:
        for width, height in WIDTHS:
            # Scripts of axe are not the page's: they go around its policy, which stands in force for the page itself.
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            context.add_cookies(cookies)
            context.add_init_script(LINES)
            page = context.new_page()
            for name, path in pages.items():
                watched = f"{name}-{width}-{scheme}"
                if name == "sign-in":
                    context.clear_cookies()
                page = context.new_page()
                watch(page, watched)
                answer = page.goto(base + path)
                if answer.status >= 400:
                    # The browser says so of any page that is refused, and it is meant to be.
                    faults[:] = [fault for fault in faults if not (fault.startswith(watched) and "Failed to load resource" in fault)]
                if name in ("home", "place"):
                    live(page)
                    lines = page.evaluate("window.lines")
                    if "lost" in lines:
                        faults.append(f"{watched}: said to be lost before it was live: {lines}")
                    page.wait_for_selector("#map-overlay[href]", state="attached", timeout=STEP_MS)
                # At once: what is live may be replaced at any moment, opened as it is.
                page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                page.screenshot(path=shots / f"{watched}.png", full_page=True)
                faults.extend(f"{watched}: {fault}" for fault in page.evaluate(LOOK))
                found = Axe().run(page).response["violations"]
                for violation in found:
                    nodes = [node["target"] for node in violation["nodes"]][:3]
                    faults.append(f"{watched}: axe {violation['id']}: {violation['help']} {nodes}")
                seen.setdefault("pages", []).append([watched, answer.status])
                page.close()
            context.close()


def by_keyboard(page):
    """The first stops of the Tab key, and that each can be seen to be one."""
    page.keyboard.press("Tab")
    stops = []
    for _ in range(14):
        stops.append(page.evaluate("""() => {
          const style = getComputedStyle(document.activeElement);
          return [document.activeElement.textContent.trim().slice(0, 24) || document.activeElement.id, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
        }"""))
        page.keyboard.press("Tab")
    for words, is_seen in stops:
        if not is_seen:
            faults.append(f"keyboard: the focus on {words!r} cannot be seen")
    return [words for words, _ in stops]


def shown(page):
    return page.evaluate("""async () => {
      const registration = await navigator.serviceWorker.ready;
      const all = await registration.getNotifications();
      return all.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
    }""")


def deliver(page, context, plaintext):
    """Hands a decrypted payload to the service worker, as the push service's connection would."""
    session = context.new_cdp_session(page)
    registrations = queue.Queue()
    session.on("ServiceWorker.workerRegistrationUpdated", lambda said: [registrations.put(one) for one in said["registrations"]])
    session.send("ServiceWorker.enable")
    for _ in range(100):
        if not registrations.empty():
            break
        page.wait_for_timeout(50)
    registration = registrations.get_nowait()["registrationId"]
    session.send("ServiceWorker.deliverPushMessage", {"origin": base, "registrationId": registration, "data": plaintext})
    # The worker is woken for it: a session that goes before it has run takes the message with it.
    page.wait_for_timeout(1_500)
    session.detach()


class Desktop(PushService):
    """Where the browser's notifications are shown, and pressed: a press on it is a real one, so the worker may open windows."""

    def __init__(self):
        self.start([sys.executable, here / "desktop.py"])
        self.shown = {}

    def press(self, title):
        """Presses the newest notification of a title."""
        while title not in self.shown or not self.events.empty():
            event = self.next()
            if event["event"] == "shown":
                self.shown[event["title"]] = event["id"]
            else:
                self.shown = {title: number for title, number in self.shown.items() if number != event["id"]}
        print(self.shown[title], file=self.process.stdin, flush=True)


# Writes down which page the worker brings to the front, and whether it may.
FOCUS = """() => {
  const focus = WindowClient.prototype.focus;
  self.focused = [];
  WindowClient.prototype.focus = async function () {
    const client = await focus.call(this);
    self.focused.push(new URL(client.url).pathname);
    return client;
  };
}"""


def until(page, what, attempt):
    for _ in range(600):
        found = attempt()
        if found:
            return found
        page.wait_for_timeout(100)
    raise AssertionError(f"{what} never came")


def story(context, service, desktop):
    context.add_init_script(injected(service))
    page = context.new_page()
    page.set_default_timeout(STEP_MS)
    watch(page, "story")

    page.goto(plan["login_url"])
    seen["after_login"] = page.url
    seen["who"] = page.locator(".who > span").text_content()
    live(page)
    seen["stops"] = by_keyboard(page)

    # Push first, so that the rise is pushed.
    page.click("text=Notices")
    page.click("#push-on")
    page.wait_for_selector("#push-off:visible")
    seen["push_state"] = page.inner_text("#push-state")
    seen["browsers"] = page.inner_text("#browsers")

    page.click("text=Map and places")
    live(page)
    # The map is clicked where the place is drawn, then the field is made exact: a pixel is half a mile.
    page.click("#map-nation")
    spot = page.evaluate("""() => {
      const box = document.getElementById('map-sheet').getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    }""")
    page.mouse.click(spot["x"], spot["y"])
    seen["clicked"] = page.input_value("#place")
    page.fill("#place", PLACE)
    page.fill("#name", "Larkfield")
    page.check("input[name=push]")
    page.click("text=Watch this place")
    page.wait_for_selector("li[data-name=Larkfield]")
    page.evaluate("window.notReloaded = true")
    page.wait_for_selector("li[data-name=Larkfield][data-level=extreme]", timeout=3 * STEP_MS)
    seen["rose_without_reload"] = page.evaluate("window.notReloaded === true")
    seen["level"] = page.inner_text("li[data-name=Larkfield] .chip")
    seen["title"] = page.title()
    said = until(page, "the spoken change", lambda: page.inner_text("#said"))
    seen["said"] = said

    pushed = None
    while pushed is None:
        event = service.next()
        seen.setdefault("at_push_service", []).append({key: event.get(key) for key in ("event", "status", "why", "urgency", "ttl", "topic")})
        if event["event"] != "push":
            raise AssertionError(f"the push service refused: {event}")
        payload = json.loads(base64.b64decode(event["plaintext"]))
        if payload["level"] == "extreme":
            pushed = payload
    seen["pushed"] = pushed
    deliver(page, context, json.dumps(pushed))
    notifications = until(page, "the notification", lambda: shown(page))
    seen["notifications"] = notifications
    # The same delivery once more, as a retry after a crash: it replaces, it does not repeat.
    deliver(page, context, json.dumps(pushed))
    page.wait_for_timeout(500)
    seen["after_retry"] = len(shown(page))
    # What nobody understands is shown all the same.
    deliver(page, context, "\x00not json")
    until(page, "the unread one", lambda: len(shown(page)) > seen["after_retry"])

    # Pressed while another page is open, it opens the place's page.
    with context.expect_page() as opened:
        desktop.press(pushed["title"])
    home, page = page, opened.value
    watch(page, "story")
    page.set_default_timeout(STEP_MS)
    live(page)
    seen["place_page"] = page.inner_text("h1")
    seen["place_level"] = page.get_attribute("#stand", "data-level")
    place = page.url[len(base):]
    seen["opened"] = place
    until(page, "the end of the notification", lambda: pushed["tag"] not in [one["tag"] for one in shown(page)])
    # Pressed while that is open, it brings it to the front.
    home.bring_to_front()
    context.service_workers[0].evaluate(FOCUS)
    deliver(home, context, json.dumps(pushed))
    before = len(context.pages)
    desktop.press(pushed["title"])
    seen["focused"] = until(home, "the place's page in front", lambda: context.service_workers[0].evaluate("self.focused"))
    seen["opened_more"] = len(context.pages) - before
    home.close()

    # Why it rose: from the journal's newest entry, and by the form.
    page.click("#past .journal > li >> nth=0 >> a")
    page.wait_for_selector("#answer")
    seen["why"] = page.inner_text("#answer")
    seen["why_telling"] = page.inner_text("#telling")
    why = page.url[len(base):]
    page.click("text=Why was it so?")
    page.wait_for_selector("#answer")
    seen["why_by_form"] = page.inner_text("h1")
    page.goto(base + place)
    live(page)

    # Without its server a page says so, and turns its levels to the past.
    context.set_offline(True)
    page.wait_for_selector('html[data-line="lost"]', timeout=STEP_MS)
    seen["lost"] = page.inner_text("#line")
    seen["lost_chip"] = page.evaluate("getComputedStyle(document.querySelector('.chip'), '::before').content")
    page.screenshot(path=shots / "lost-1280-light.png", full_page=True)
    # What a browser says of a line that is cut is no fault of the page.
    faults[:] = [fault for fault in faults if "ERR_INTERNET_DISCONNECTED" not in fault]
    context.set_offline(False)
    live(page)

    cookies = context.cookies()
    return cookies, place, why


def person(playwright, profile):
    """A browser with a profile of its own, whose owner lets pages notify: only there a pressed notification may open a page."""
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text('{"profile": {"default_content_setting_values": {"notifications": 1}}}')
    return playwright.chromium.launch_persistent_context(
        profile, viewport={"width": 1280, "height": 860}, locale="en-US", timezone_id="America/Chicago", **BROWSER
    )


with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
    service, desktop = PushService(plan["vapid_key"]), Desktop()
    context = person(playwright, pathlib.Path(folder) / "profile")
    try:
        cookies, place, why = story(context, service, desktop)
        context.close()
        pages = {
            "home": "/", "place": place, "why": why, "why-wrong": place + "/explain?at=never", "notices": "/notices",
            "no-such": "/points/none", "confirm": "/confirm/none", "unsubscribe": "/unsubscribe/none", "sign-in": "/login",
        }
        browser = playwright.chromium.launch(**BROWSER)
        look(browser, cookies, pages)
        browser.close()
    finally:
        service.close()
        desktop.close()
seen["faults"] = faults
print(json.dumps(seen))
