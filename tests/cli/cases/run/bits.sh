# With --bits default the answer has the default's bits, whatever the database holds; without a default that passes there is none.
# covers: finals.c answer.c record_trial.c page_forest.c run_finals.c
run() { asctune run --trust "$WORKLOADS/races.json" --device cpu --strategy exhaustive --budget all "$@" 2>err >lines; echo "exit $?"; sed -n 's/^  \(bits[a-z-]*  FAULT=.\).*/\1/p; s/.*\(no usable result.*\)/\1/p' lines; sed -n 's/^asctune: //p' err; }
echo '- the fastest has other bits, and is the answer on record; nothing is new but the question'
run --impl bits-apart --db a.db
asctune report --db a.db -o page.html 2>err
grep -o 'Bits of its outputs:.*' page.html | sed 's/[0-9]* launches/N launches/; s/, at [0-9]* places/, at K places/'
grep -c '≠</span></th>' page.html
run --impl bits-apart --db a.db --bits default --resume
asctune best --db a.db | grep -o "bits-apart FAULT=[0-9]"
echo '- a default that is wrong in 1 of 50 launches'
run --impl bits-racy --db c.db --bits default --races 200 | sed '/other bits/d; s/in 1 of [1-9][0-9]* launches: .*/in 1 of N launches/'
