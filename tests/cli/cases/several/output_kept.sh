# What asctune has not written is not replaced by a page or a summary: databases, links to them, texts of the user's own.
# covers: output.c
golden 26 a.db; cp a.db before.db; ln -s a.db link.html
echo '<!DOCTYPE html><html lang="en"><title>mine</title></html>' >mine.html
run report --db a.db -o a.db
run report --db a.db -o link.html
run report --db a.db -o mine.html
run track --db a.db --markdown=a.db >/dev/null
run track --db a.db --junit=mine.html >/dev/null
cmp a.db before.db; cat mine.html
: >empty.html
for again in 1 2; do
	for page in new.html empty.html; do asctune report --db a.db -o $page 2>/dev/null || echo "exit $?"; done
	asctune track --db a.db --markdown=t.md --junit=t.xml >/dev/null 2>&1 || echo "exit $?"
done
grep -c '<title>asctune: ' new.html empty.html; head -c 16 t.md; echo; grep -c 'asctune track' t.xml
asctune report --db a.db -o /dev/stdout 2>/dev/null | grep -c '</html>'
