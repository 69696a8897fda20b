# asctune report: one page of what there is, with what is missing said on it; where it cannot be written; wrong words.
# covers: cmd_report.c
size() { sed -E 's/[0-9]+ kB/N kB/'; }
says() { grep -o "$1" "${2:-report.html}" | head -1; }
mkdir bin
for tool in cc as ld; do ln -s "$(command -v $tool)" bin/; done
plain="$(dirname "$(command -v asctune)"):$PWD/bin" # without gnuplot
run report --db missing.db
asctune run --device cpu --budget 1 --cache hot --db t.db --problem small "$WORKLOADS/axpy.json" >/dev/null 2>&1
PATH="$plain:/nonexistent" asctune report --db t.db -o plain.html 2>&1 | size
says '1 kernel tuned: ' plain.html
says 'The large pictures are missing:' plain.html
: >.asctune-1-0 # what a report that was killed has left
asctune report --db t.db 2>&1 | size
[ ! -e .asctune-1-0 ] && echo 'nothing is left of it'
asctune report --db t.db -o again.html 2>&1 | size
sed 's/again.html/report.html/' again.html | cmp - report.html && echo the same page
page_check report.html
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
