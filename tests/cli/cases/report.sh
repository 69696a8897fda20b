# asctune report: one page of what there is, with what is missing said on it; where it cannot be written; wrong words.
size() { sed -E 's/[0-9]+ kB/N kB/'; }
says() { grep -o "$1" "${2:-report.html}" | head -1; }
mkdir bin
for tool in cc as ld; do ln -s "$(command -v $tool)" bin/; done
plain="$(dirname "$(command -v asctune)"):$PWD/bin" # without gnuplot
run report --db missing.db
asctune run --device cpu --budget 1 --cache hot --db t.db --problem small "$WORKLOADS/axpy.json" >/dev/null 2>&1
PATH="$plain:/nonexistent" asctune report --db t.db -o plain.html 2>&1 | size
says '0 regressions</span>' plain.html
says '<p>Pictures: none, ' plain.html
asctune report --db t.db 2>&1 | size
asctune report --db t.db -o again.html 2>&1 | size
sed 's/-o again.html/-o report.html/' again.html | cmp - report.html && echo the same page
grep -ciE '(https?:| src=|@import|url\([^#])' report.html | sed 's/^/loads from outside: /'
python3 - report.html <<'PY' || echo skipped: no python3
import collections, html.parser, sys
class Page(html.parser.HTMLParser):
    ids, targets, void = [], [], {"meta", "input"}
    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []
    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id": self.ids.append(value)
            if name in ("href", "xlink:href"): self.targets.append(value[1:])
            if name in ("aria-labelledby", "for"): self.targets += value.split()
        if tag not in self.void: self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.void: self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.wrong.append("</%s> at %s" % (tag, self.getpos()))
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
print("not ended:", page.open + page.wrong)
print("ids twice:", [i for i, n in collections.Counter(page.ids).items() if n > 1])
print("links without a target:", [t for t in page.targets if t not in page.ids])
PY
ASCTUNE_DB=t.db asctune report -o /dev/full
echo "exit $?"
run report --db t.db -o missing/report.html
mkdir folder
run report --db t.db -o folder
run report --db t.db -o ''
run report --db t.db extra
run report --db t.db --nonsense
echo 'not a database at all, but long enough to be looked at' >text.db
run report --db text.db
ls
