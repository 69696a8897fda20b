# A kernel of which nothing passes any more: asctune track fails, whatever the times were before.
# covers: cmd_track.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
plain() { sed -E 's/cpu: .* axpy/cpu: DEVICE axpy/; s/took [0-9.]+ [mnu]s/took TIME/; s/"asctune.cpu: [^"]*"/"asctune.cpu: DEVICE"/; s/\| cpu: [^|]* \| wrong/| cpu: DEVICE | wrong/; s/\| cpu: [^|]* \| failed/| cpu: DEVICE | failed/; s/ on cpu: .*: (wrong|failed)/ on cpu: DEVICE: \1/; s/the first out\\?\[[^&;|]*/the first .../'; }
night() { asctune run axpy.json --device cpu --budget 2 --strategy random --cache hot --problem small --db t.db >/dev/null 2>&1; echo "exit $?"; }
night
sed -i 's/out\[i\] =/out[i] = 1 +/' axpy/kernel.c
night
run track --db t.db --markdown summary.md --junit junit.xml 2>&1 | plain
plain <summary.md
plain <junit.xml
run report --db t.db -o page.html 2>&1 | sed 's/[0-9]* kB/N kB/'
grep -o '<p class="verdict">.*' page.html
asctune track ack "$(asctune track --db t.db 2>/dev/null | sed -n '2s/^broken  *\(.*\)  [0-9]* runs*.*$/\1/p')" --reason 'being worked on' --db t.db 2>&1 | plain | sed 's/until .*/until DAY/'
asctune track ack --list --db t.db | plain | sed 's/until [-0-9]*\( by [^:]*\)*/until DAY/'
run track --db t.db 2>&1 | plain
name=$(sqlite3 t.db 'select series from acknowledgement')
for i in 1 2; do asctune track ack "$name" --undo --db t.db 2>&1 | plain; done
asctune track ack --list --db t.db
run track ack --undo --db t.db
run runs axpy.json --device cpu --problem small --db typo.db
asctune run axpy.json --device cpu --budget 2 --strategy random --cache hot --problem small --db t.db --resume >/dev/null 2>&1
run runs axpy.json --device cpu --problem small --db t.db
