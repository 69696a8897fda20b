"""The report in a browser: TAP. page_checks.py ASCTUNE CHROMIUM [FOLDER]: pictures of the page in FOLDER, to be looked at. CHROMIUM "": its structure."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import databases
import devtools
import story
import structure

NUMBER = 0
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "asctune-browser", "axe.min.js")


def check(passed, name, told=""):
    global NUMBER
    NUMBER += 1
    print("%s %d - %s" % ("ok" if passed else "not ok", NUMBER, name), flush=True)
    if not passed:
        for line in str(told).splitlines()[:40]:
            print("# " + line)


def skip(name, reason):
    global NUMBER
    NUMBER += 1
    print("ok %d - %s # SKIP %s" % (NUMBER, name, reason), flush=True)


# ---- what is asked of every page ----

REFERENCES = """(() => {
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id), wrong = ids.filter((id, i) => ids.indexOf(id) !== i);
    for (const e of document.querySelectorAll('[href]'))
        if (!/^#./.test(e.getAttribute('href')) || !document.getElementById(e.getAttribute('href').slice(1))) wrong.push(e.outerHTML);
    for (const e of document.querySelectorAll('[aria-labelledby], [for]'))
        for (const id of (e.getAttribute('aria-labelledby') || e.getAttribute('for')).split(' '))
            if (!document.getElementById(id)) wrong.push(e.outerHTML);
    return wrong.map(text => text.slice(0, 200)); })()"""
COUNTS = "(q => q.map(s => document.querySelectorAll(s).length))(['table', 'figure', 'tbody tr', 'svg[role=img]', 'details'])"
# What is folded away in views of a run may scroll in a box of its own, as large pictures and matrices do.
WIDER = """(() => { const most = document.documentElement.clientWidth, wide = [];
    for (const e of document.querySelectorAll('main *'))
        if (!e.closest('details .table, figure, .table:has(> .heat)') && e.getBoundingClientRect().right > most + 1 && e.getBoundingClientRect().width)
            wide.push(e.outerHTML.slice(0, 100));
    const nav = document.querySelector('nav');
    if (nav.scrollWidth > nav.clientWidth) wide.push('the navigation is cut');
    return [document.documentElement.scrollWidth, most, wide.slice(0, 5)]; })()"""
# Top of what answers: the first row of the best or of what changed, or the first card.
ANSWER = """Math.min(...['#best-all tbody tr', '#compared tbody tr', 'p#compared', '.card'].map(what => document.querySelector(what)).filter(Boolean)
    .map(e => e.getBoundingClientRect().top + scrollY))"""
SMALL = """[...document.querySelectorAll('main *')].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
    && e.getClientRects().length && !e.closest('figure, title') && parseFloat(getComputedStyle(e).fontSize) < 12)
    .map(e => e.outerHTML.slice(0, 100)).slice(0, 5)"""
UNTITLED = """[...document.querySelectorAll('svg[role=img]')].filter(s => !(s.querySelector('title') || {}).textContent && !s.getAttribute('aria-label'))
    .concat([...document.querySelectorAll('svg title')].filter(t => !t.textContent.trim() || /[rkd]_[0-9a-f]{16}|^gnuplot/i.test(t.textContent)))
    .map(e => e.outerHTML.slice(0, 100)).slice(0, 5)"""


# Pictures of gnuplot whose marks have no titles of their own.
BARE = """[...document.querySelectorAll('figure > svg')].filter(s => !s.querySelector('.marks title')).map(s => s.getAttribute('aria-labelledby'))"""

# Options of commands that are broken over two lines.
SPLIT = """[...document.querySelectorAll('code.copy span')].filter(e => e.textContent.length < 30 && e.getBoundingClientRect().height > 30)
    .map(e => e.textContent).slice(0, 5)"""

# On paper: labels of bars that lie on each other, cards that a page may split, sections of nothing but their heading.
PRINTED = """(() => { const wrong = [];
    for (const bars of document.querySelectorAll('svg.bars')) {
        const boxes = [...bars.querySelectorAll('text')].map(t => t.getBoundingClientRect()).filter(b => b.width);
        for (const a of boxes) for (const b of boxes)
            if (a !== b && Math.abs(a.top - b.top) < 2 && a.left <= b.left && a.right > b.left + .5) wrong.push(bars.outerHTML.slice(0, 100));
    }
    for (const e of document.querySelectorAll('.card')) if (getComputedStyle(e).breakInside !== 'avoid') wrong.push(e.id);
    for (const e of document.querySelectorAll('main section > h2'))
        if (e.getClientRects().length && ![...e.parentNode.children].some(x => x !== e && x.getBoundingClientRect().height > 0)) wrong.push(e.textContent);
    return wrong.slice(0, 5); })()"""

# Names of parameters that are cut although they are short.
CUT = """[...document.querySelectorAll('.slice bdi')].filter(e => e.textContent.length < 16 && e.scrollWidth > e.clientWidth)
    .map(e => e.textContent).slice(0, 5)"""

# Configurations in columns that are narrower than their longest parameter.
NARROW = """[...document.querySelectorAll('.data td bdi')].filter(e => e.querySelector('wbr') && e.getClientRects().length
    && e.parentNode.getBoundingClientRect().width < 150).map(e => e.textContent.slice(0, 60)).slice(0, 5)"""


def check_alone(page, path, name):
    """Nothing is fetched, nothing is wrong."""
    page.open(path)
    check(page.complaints == [], name + ": nothing on the console", page.complaints)
    check(page.requests == [], name + ": nothing is requested", page.requests)
    wrong = page.ask(REFERENCES)
    check(wrong == [], name + ": every id once, every target there", "\n".join(wrong))


def check_read(page, at):
    """Texts are large enough, also what is folded, pictures have words."""
    page.ask("document.querySelectorAll('details:not([open])').forEach(d => { d.open = true; d.dataset.folded = ''; })")
    for asked, what in ((SMALL, "no text below 12 pixels"), (UNTITLED, "every picture has a title in words"),
                        (BARE, "every large picture's marks have titles"), (SPLIT, "options of commands stay whole"), (CUT, "names of parameters are not cut"),
                        (NARROW, "configurations have room")):
        found = page.ask(asked)
        check(found == [], "%s: %s" % (at, what), "\n".join(found))
    page.ask("document.querySelectorAll('details[data-folded]').forEach(d => { d.open = false; delete d.dataset.folded; })")


def check_widths(page, name, folder):
    """On a phone, a laptop and a large screen, in both themes: nothing is cut, the answer is in the first screen."""
    for width, height, most_top in ((390, 844, 844), (1280, 800, 800), (1920, 1080, 800)):
        for scheme in ("light", "dark"):
            page.media(scheme=scheme)
            page.size(width, height)
            scroll, most, wide = page.ask(WIDER)
            at = "%s, %s, %d pixels" % (name, scheme, width)
            check(scroll <= most and not wide, at + ": nothing is wider than the screen", "%s of %s: %s" % (scroll, most, "\n".join(wide)))
            top = page.ask(ANSWER)
            check(top is not None and top < most_top, at + ": the answer begins in the first screen", top)
            if folder:
                take(page, folder, "-".join((name.replace(" ", "-"), scheme, str(width))))
        check_read(page, "%s, %d pixels" % (name, width))
    page.media()
    page.size(1280)


def check_unchanged(page, path):
    """Where nothing changed, the sentence that says so is the answer. What else such a page has, others have, too."""
    page.size(390, 844)
    page.open(path)
    top = page.ask(ANSWER)
    check(top is not None and top < 844, "nothing changed: the answer begins in the first screen", top)


def check_narrow(page, name):
    page.size(320)
    scroll, most, wide = page.ask(WIDER)
    check(scroll <= most, name + ": 320 pixels are wide enough", "%s of %s: %s" % (scroll, most, "\n".join(wide)))
    page.size(1280)


def check_paper_width(page, name):
    """On a sheet, whose text is as wide as 700 pixels."""
    page.media("print")
    page.size(700)
    scroll, most, wide = page.ask(WIDER)
    check(scroll <= most and not wide, name + ", printed: nothing is wider than the sheet", "%s of %s: %s" % (scroll, most, "\n".join(wide)))
    page.size(740)  # three slices side by side
    wrong = page.ask(PRINTED)
    check(wrong == [], name + ", printed: labels lie apart, cards are whole, headings have something below", "\n".join(wrong))
    page.media()
    page.size(1280)


def check_axe(page, path, name, whole):
    if not os.path.exists(CACHE):
        skip(name + ": axe-core", "axe-core is not in %s: ci/setup browser fetches it" % os.path.dirname(CACHE))
        return
    with open(CACHE, encoding="utf-8") as f:
        axe = f.read()
    page.open(path)
    page.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    if not whole:
        page.ask(ALIKE)
    page.ask(axe + "; 0")
    for scheme, width in (("light", 1280), ("dark", 320)):
        page.media(scheme=scheme)
        page.size(width)
        result = page.ask("axe.run({resultTypes: ['violations']}).then(r => ({version: r.testEngine.version, passes: r.passes.length, violations: r.violations.map("
                          "v => v.id + ' (' + v.nodes.length + '): ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' +"
                          " (n.any[0] || n.all[0] || n.none[0] || {}).message).join('\\n  '))}))")
        check(not result["violations"] and result["passes"] > 10, "%s, %s, %d pixels wide: axe-core %s" % (name, scheme, width, result["version"]),
              "\n".join(result["violations"]))
    page.media()
    page.size(1280)


# ---- themes ----

def png_corner(data):
    """Of the first pixel: its filter has nothing before it."""
    at, raw = 8, b""
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            raw += data[at + 8:at + 8 + n]
        at += 12 + n
    return tuple(zlib.decompress(raw)[1:4])


def take(page, folder, name):
    data = base64.b64decode(page.picture())
    if folder:
        with open(os.path.join(folder, name + ".png"), "wb") as f:
            f.write(data)
    return data


def check_themes(page, path, folder):
    corners = {}
    for scheme in ("light", "dark"):
        page.media(scheme=scheme)
        page.size(1280, 6000)
        page.open(path)
        data = take(page, folder, scheme)
        corners[scheme] = png_corner(data)
        check(len(data) > 50000, "a picture in %s: %d bytes" % (scheme, len(data)))
    check(sum(corners["light"]) > 700 and sum(corners["dark"]) < 150, "light is light, dark is dark", corners)
    page.media()
    page.size(1280)
    page.open(path)
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.ask(background)
    page.ask("document.querySelector('.theme').focus()")
    page.press("Enter", "\r", 13)
    after, fragment = page.ask(background), page.ask("location.hash")
    check(before != after and "theme=dark" in fragment, "the button turns the theme, by key", (before, after, fragment))
    page.open(path, fragment)
    check(page.ask(background) == after, "an address keeps the theme", page.ask(background))


# ---- keys ----

FOCUS = "(e => e.closest('thead') ? 'sort' : e.className)(document.activeElement)"


def tab_to(page, what):
    for _ in range(300):
        page.press("Tab", code=9)
        if page.ask(FOCUS) == what:
            return True
    return False


def check_keys(page, path):
    page.open(path)
    page.press("Tab", code=9)
    check(page.ask(FOCUS) == "skip", "the first key leads past the head", page.ask(FOCUS))
    check(tab_to(page, "sort"), "headers are reached by key")
    values = ("(t => [...t.querySelectorAll('tbody tr')].map(r => (c => 'v' in c.dataset ? +c.dataset.v : c.textContent)(r.cells[%d])))"
              "(document.activeElement.closest('table'))")
    page.press("Enter", "\r", 13)
    check(page.ask("document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending", "Enter sorts")
    check(page.ask("[...document.activeElement.closest('table').querySelectorAll('caption .order')].every(e => !e.checkVisibility())"),
          "the caption of sorted rows says no other order")
    page.press(" ", " ", 32)
    check(page.ask("document.activeElement.closest('th').getAttribute('aria-sort')") == "descending", "the space bar sorts downwards")
    page.ask("document.querySelector('#best-all thead th:nth-child(2) button').focus()")
    column = page.ask("document.activeElement.closest('th').cellIndex")
    page.press("Enter", "\r", 13)
    rows = page.ask(values % column)
    order = page.ask("(c => %s.every((v, i, a) => !i || (typeof v === 'string' ? c.compare(a[i - 1], v) <= 0 : a[i - 1] <= v)))"
                     "(new Intl.Collator('en', {numeric: true}))" % json.dumps(rows))
    check(order and len(rows) > 1, "%d rows are in order" % len(rows), rows)


def check_filter(page, path):
    page.open(path)
    page.press("/", "/", 191)
    check(page.ask(FOCUS) == "filter", "/ leads to the filter", page.ask(FOCUS))
    shown = "[...document.querySelectorAll('#best-all tbody tr, .card')].filter(e => !e.hidden).length"
    before = page.ask(shown)
    page.call("Input.insertText", text=page.ask("document.querySelector('#best-all tbody tr:nth-child(2) a').textContent"))
    after = page.ask(shown)
    check(0 < after < before, "the filter leaves %d of %d rows and cards" % (after, before))
    count = page.ask("document.querySelector('.tools output').textContent")
    kernels = page.ask("Math.max(...['#best-all tbody tr', '#runs .card'].map(what => document.querySelectorAll(what).length))")
    check(count == " 1 of %d kernels" % kernels, "the count says of what", count)
    check(page.ask("[...document.querySelectorAll('#roofline .note')].some(e => !e.hidden && /Not filtered/.test(e.textContent))"),
          "a picture of all kernels says that it is not filtered")
    fragment = page.ask("location.hash")
    check("filter=" in fragment, "the address keeps the filter", fragment)
    page.open(path, fragment)
    check(page.ask(shown) == after, "an address filters", page.ask(shown))
    page.open(path, fragment.replace("#", "#100%", 1))
    check(page.ask(shown) == after, "an address whose place is damaged filters, too", page.ask(shown))
    page.open(path, "#?filter=nothing-has-this")
    left = page.ask("[...document.querySelectorAll('main section:not(#verdict, #roofline, #method), main section h3, main tr')].filter(e => !e.closest('details')"
                    " && !e.closest('#roofline, #method') && e.getClientRects().length).map(e => e.textContent.slice(0, 60))")
    check(left == [], "where nothing is left, no heading stands alone", "\n".join(left))


# ---- without script, on paper ----

def check_without_script(page, path):
    page.open(path)
    with_script = page.ask(COUNTS)
    page.script(False)
    page.open(path)
    without = page.ask(COUNTS)
    check(without == with_script and min(without[:4]) > 0, "the page is whole without JavaScript", (with_script, without))
    check(page.ask("document.querySelectorAll('main button, .theme').length") == 0, "and has nothing that would do nothing")
    check(page.ask("document.querySelector('.verdict').getBoundingClientRect().height") > 0, "the verdict is in sight")
    page.script(True)


def count_sheets(page):
    pdf = base64.b64decode(page.call("Page.printToPDF")["data"])
    return pdf.count(b"/Type /Page\n") or pdf.count(b"/Type /Page ") or pdf.count(b"/Type /Page")


def check_print(page, path, most):
    page.media(scheme="dark")
    page.open(path)
    sheets = count_sheets(page)
    check(1 <= sheets <= most, "%d sheets of paper, %d at most" % (sheets, most))
    page.open(path, "#?all")
    check(count_sheets(page) >= sheets and not page.ask("document.querySelector('details:not([open])')"), "an address with ?all prints what is folded, too")
    page.open(path)
    page.media("print", "dark")
    check(page.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is white",
          page.ask("getComputedStyle(document.body).backgroundColor"))
    check(page.ask("getComputedStyle(document.querySelector('header')).display") == "none", "and has no buttons")
    page.media()


def check_hostile(page, path, names):
    check_alone(page, path, "hostile names")
    page.ask("document.querySelectorAll('bdi, svg text, [title]').forEach(e => { for (const name of ['mouseover', 'click', 'focus'])"
             " e.dispatchEvent(new MouseEvent(name, {bubbles: true})); })")
    check(page.ask("typeof window.pwned") == "undefined", "hostile names run nothing", page.ask("window.pwned"))
    text = page.ask("document.body.textContent")
    for name in names:
        check(name in text, "shown as text: %s" % name.replace("\n", " "))
    check(page.ask("document.querySelectorAll('img, iframe, object, [onerror], [onmouseover]').length") == 0, "and are no elements")


def check_long_name(page, path):
    """What holds a name of 4096 characters is cut where it is shown, and copied whole."""
    page.open(path)
    page.ask("Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => { window.copied = text; return Promise.resolve(); }}})")
    shown = page.ask("Math.max(...[...document.querySelectorAll('.card .words')].map(e => e.innerText.length))")
    check(0 < shown < 4096, "a card with a long name has %d characters" % shown)
    copied = page.ask("(code => { code.nextElementSibling.click(); return [window.copied, code.textContent]; })"
                      "([...document.querySelectorAll('.card code.copy')].find(code => code.title.includes('n'.repeat(4096))))")
    check("n" * 4096 in copied[0] and "…" in copied[1] and len(copied[1]) < 500, "a command with a long name is copied whole", copied[1])


# ---- all ----

def make_pages(asctune, work):
    def path(name, end):
        return os.path.join(work, name.replace(" ", "-") + end)

    def derive(name, source, change):
        shutil.copy(path(source, ".db"), path(name, ".db"))
        change(path(name, ".db"))

    databases.night(asctune, path("night", ".db"))
    derive("story", "night", story.tell)
    derive("profiled", "night", databases.profile)
    databases.broken(asctune, path("broken", ".db"))
    databases.nights(asctune, path("nights", ".db"))
    databases.runs(asctune, path("runs", ".db"), 400, 2)
    databases.runs(asctune, path("large", ".db"), 10000, 1)
    databases.year(asctune, path("year", ".db"))
    for name in ("nights", "runs", "story", "profiled"):
        derive("hostile " + name, name, databases.make_hostile)
    names = ("night", "broken", "story", "profiled", "nights", "runs", "large", "year", "hostile nights", "hostile runs", "hostile story", "hostile profiled")
    for name in names:
        databases.report(asctune, path(name, ".db"), path(name, ".html"))
    databases.report(asctune, path("story", ".db"), path("without gnuplot", ".html"), search=path("nothing", ""))
    compare(asctune, path)
    return {name: path(name, ".html") for name in names + ("without gnuplot", "comparison", "comparison of devices", UNCHANGED, "hostile comparison")}


UNCHANGED = "comparison of one night"


def compare(asctune, path):
    """Two nights; two databases of different devices; a night beside itself; two nights with hostile names."""
    def write(name, source, *words):
        databases.report(asctune, path(source, ".db"), path(name, ".html"), words=words)

    write("comparison", "story", "--base", databases.first_night(path("story", ".db")))
    shutil.copy(path("night", ".db"), path("device", ".db"))
    databases.move(path("device", ".db"), "Another CPU", 0.6)
    write("comparison of devices", "device", "--base", path("night", ".db"))
    shutil.copy(path("night", ".db"), path("same", ".db"))
    write(UNCHANGED, "same", "--base", path("night", ".db"))
    write("hostile comparison", "hostile story", "--base", databases.first_night(path("hostile story", ".db")))


# Pages whose kinds of elements and colours stand in "profiled", "story" and "hostile story", too. Of the others axe-core, which would take up to a
# minute each, sees two of the cards and of the rows that have the same elements of the same classes, unless pictures are taken.
ELSEWHERE = ("night", UNCHANGED, "without gnuplot", "hostile nights", "hostile runs", "hostile profiled")
ALIKE = """(() => {
    const times = new Map(), sign = e => e.tagName + '.' + (e.getAttribute('class') || '') + (e.hasAttribute('style') ? ' styled' : '');
    for (const e of document.querySelectorAll('.card, tbody tr')) {
        const kind = [e.parentNode, e, ...e.querySelectorAll('*')].map(sign).join();
        times.set(kind, (times.get(kind) || 0) + 1);
        if (times.get(kind) > 2) e.remove();
    } })()"""
LIMITS = {"night": 600000, "year": 1200000, "large": 3000000}


def check_all(page, pages, folder):
    check_unchanged(page, pages[UNCHANGED])
    for name, path in pages.items():
        if name == UNCHANGED:
            continue
        if name.startswith("hostile"):
            page.open(path)
        else:
            check_alone(page, path, name)
        check_widths(page, name, folder)
        check_narrow(page, name)
        check_paper_width(page, name)
    check_themes(page, pages["runs"], folder)
    for check_one in (check_keys, check_filter, check_without_script):
        check_one(page, pages["night"])
    check_filter(page, pages["story"])
    check_print(page, pages["night"], 10)
    check_print(page, pages["story"], 10)
    check_print(page, pages["comparison"], 3)
    for name in ("hostile nights", "hostile runs", "hostile story", "hostile profiled"):
        check_hostile(page, pages[name], databases.HOSTILE[:3])
    check_long_name(page, pages["hostile story"])
    check_hostile(page, pages["hostile comparison"], databases.HOSTILE[0:3:2])
    for name, path in pages.items():
        if name not in ELSEWHERE:
            check_axe(page, path, name, whole=bool(folder))


def check_sizes(pages):
    for name, most in LIMITS.items():
        size = os.path.getsize(pages[name])
        check(size <= most, "%s: %d bytes, %d at most" % (name, size, most))


def check_structure(pages):
    """What can be said of the pages where there is no browser."""
    for name, path in pages.items():
        problems = structure.find_problems(path)
        check(problems == [], name + ": ids, targets, captions, words for pictures", "\n".join(problems))
        check(structure.answer_is_first(path), name + ": the answer stands before what is folded or large")
    for name in ("night", "broken"):
        check(structure.best_is_first(pages[name]), name + ": the best stand before what is broken")


# What happened in the nights of story.py, in the words of the page.
WORDS = {"broken": ("11 implementations of which nothing passed", "another implementation is broken", "<small>11 implementations</small>"),
         "story": ("1 kernel broken", "5 slower</span> for 4 reasons", "2 kernels, one finding: driver ", "1 faster", "1 drifting",
                   "new tonight", "<span class=\"bad\">broken</span>"),
         "profiled": ("<strong>Limited by: memory.</strong>", "<th scope=\"row\">DRAM</th>", "Stalls: what warps wait for", "<th scope=\"col\">limited by</th>",
                      "by bytes of each level"),
         "comparison": ("12 compared · 4 baselines not counted", "of 12 compared did not change beyond noise")}


def check_words(pages):
    for name, texts in WORDS.items():
        with open(pages[name], encoding="utf-8") as f:
            page = f.read()
        for text in texts:
            check(text in page, "%s: %s" % (name, text))


def check_agreement(asctune, path):
    """The page and `asctune track` tell of the same findings and count them alike."""
    def track(*words):
        return subprocess.run([asctune, "track", "--db", path.replace(".html", ".db"), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    with open(path, encoding="utf-8") as f:
        page = f.read()
    sentence = re.sub("<[^>]*>", "", re.search('<p class="verdict">(.*)</p>', page).group(1))
    told = track()
    series = [json.loads(line) for line in track("--json").stdout.splitlines() if '"series"' in line]
    counts = re.sub(r"(; | \(--all).*", "", told.stdout.splitlines()[0])
    check(re.sub(r" kernels?|\.$", "", sentence) == counts, "page and terminal count alike", (sentence, counts))
    changes = re.search('<section id="changes".*?</section>', page, re.S).group(0)
    findings = max(s.get("finding", 0) for s in series if s["metric"] == "time_ns")
    check(changes.count('<div class="card ') == findings, "each finding has a card", findings)
    check(told.returncode == any(s["fails"] for s in series), "the exit status is that of the series", told.returncode)


def check_in_browser(chromium, pages, folder):
    browser = devtools.Browser(chromium)
    try:
        page = devtools.Page(browser)
        page.size(1280)
        check_all(page, pages, folder)
    finally:
        browser.close()


def main(asctune, chromium, folder=None):
    """`chromium` "": there is none."""
    with tempfile.TemporaryDirectory(prefix="asctune-pages-") as work:
        os.environ.setdefault("ASCTUNE_CACHE_DIR", os.path.join(work, "cache"))
        pages = make_pages(asctune, work)
        check_structure(pages)
        check_words(pages)
        check_agreement(asctune, pages["story"])
        check_sizes(pages)
        if chromium:
            check_in_browser(chromium, pages, folder)
        else:
            skip("the pages in a browser", "chromium is not installed: ci/setup browser does that")
        if folder:
            for path in pages.values():
                shutil.copy(path, folder)
    print("1..%d" % NUMBER)


if __name__ == "__main__":
    main(*sys.argv[1:])
