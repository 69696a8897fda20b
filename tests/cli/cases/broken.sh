# A kernel of which nothing passes any more: asctune track fails, whatever the times were before.
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
plain() { sed -E 's/cpu: .* axpy/cpu: DEVICE axpy/; s/took [0-9.]+ [mnu]s/took TIME/; s/"asctune.cpu: [^"]*"/"asctune.cpu: DEVICE"/; s/\| cpu: [^|]* \| wrong/| cpu: DEVICE | wrong/; s/\| cpu: [^|]* \| failed/| cpu: DEVICE | failed/; s/ on cpu: .*: (wrong|failed)/ on cpu: DEVICE: \1/; s/at \\?\[[^&;|]*/at .../'; }
night() { asctune run axpy.json --device cpu --budget 2 --cache hot --problem small --db t.db >/dev/null 2>&1; echo "exit $?"; }
night
sed -i 's/out\[i\] =/out[i] = 1 +/' axpy/kernel.c
night
run track --db t.db --markdown summary.md --junit junit.xml | plain
plain <summary.md
plain <junit.xml
run report --db t.db -o page.html 2>&1 | sed 's/[0-9]* kB/N kB/'
grep -o '<p class="verdict">.*' page.html
asctune track ack "$(asctune track --db t.db | sed -n '2s/: broken.*//p')" --reason 'being worked on' --db t.db
run track --db t.db | plain
