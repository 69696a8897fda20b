# asctune track over fifteen nights of each cause: what terminal, Markdown, JUnit, JSON, annotations and page say of them, which is the same.
# covers: track_cause.c track_words.c track_transitions.c
golden 16 t.db
sqlite3 t.db <"$ROOT/tests/cli/story.sql"
run track --db t.db --markdown t.md --junit t.xml
cat t.md
grep -o '<testsuite .*\|<failure type="[^"]*"\|<skipped>.*</skipped>' t.xml
asctune track --db t.db --json | grep -o '"problem":"[^"]*","implementation":"[^"]*"\|"verdict":.*"finding":[0-9]*\|"control":.*"shared":[a-z]*' | sed -E 's/(-?[0-9]+\.[0-9])[0-9]*/\1/g'
GITHUB_ACTIONS=true asctune track --db t.db 2>&1 >/dev/null | grep ::error

plain() { sed 's/<[^>]*>//g; s/ kernels* / /; s/\.$//'; }
asctune report --db t.db -o t.html >/dev/null 2>&1
grep '<p class="verdict">' t.html | plain
grep -o '1 broken.*' t.md | sed 's/;.*//'
grep -o '<p class="meta">.*' t.html | plain
grep -o 'Probably the machine[^<]*' t.html

# The answers of `best` and the page say the same of their kernels, what a check fails for first on the page.
cp t.db acknowledged.db
asctune track ack 'cpu: M axpy/own loop hot' --reason 'as it is to be' --db acknowledged.db 2>/dev/null
asctune best --db acknowledged.db | grep -A1 '^axpy' | grep '^axpy\|!' | sed 's/  .*! / ! /'
asctune report --db acknowledged.db -o t.html >/dev/null 2>&1
sed -n '/id="best"/,/<\/table>/p' t.html | grep -o 'class="bad">[^<]*'
# A card says what is acknowledged of each kernel of its finding, and asks for nothing more of it.
asctune track ack 'cpu: M axpy/driver-2 loop hot' --reason 'known of 7.0' --db acknowledged.db 2>/dev/null
asctune report --db acknowledged.db -o t.html >/dev/null 2>&1
sed -n '/The same night/,/<\/ul>/p' t.html | sed 's/<[^>]*>//g; s/Acknowledged .*until [0-9-]*:/ Acknowledged:/' | grep .
grep -o "track ack '[^']*'" t.html

# Where a source changed, terminal and page name both commits and the command that shows how.
cp t.db source.db
sqlite3 source.db "insert into implementation(id, name, key, idx) values (8, 'loop', 'k8', 0);
	update run set source_commit = iif(started_ms < 20013 * 86400000, 'aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'), source_clean = 1;
	delete from trial where run_id in (select r.id from run r join problem p on p.id = r.problem_id where p.name <> 'own');
	update trial set implementation_id = 8 where implementation_id = 1 and run_id in (select id from run where source_commit like 'b%')"
run track --db source.db | grep 'commit\|what changed'
asctune report --db source.db -o t.html >/dev/null 2>&1
grep 'See what changed' t.html | sed 's/<[^>]*>//g; s/ copy$//'

# What is probably the machine's does not fail a check, unless that is strict; what the same kernel does by itself does.
left() { sqlite3 t.db "delete from trial where run_id in (select r.id from run r join problem p on p.id = r.problem_id where p.name in ($1))"; }
left "'driver', 'driver-2', 'own', 'later', 'broken'"
run track --db t.db --junit t.xml | grep -v since
grep -o '<testsuite .*' t.xml
run track --db t.db --strict | tail -1
GITHUB_ACTIONS=true asctune track --db t.db 2>&1 >/dev/null | grep -c ::error
