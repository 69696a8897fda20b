# The page says which macros a configuration is: without parameters of the launch, where the workload's file tells; where it was edited since, as before.
# covers: page_best.c page_run.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
asctune run axpy.json -D cpu -p small --cache hot --budget 3 --db m.db >/dev/null 2>&1
words() { asctune report --db m.db -o page.html 2>/dev/null; sed 's/<[^>]*>//g' page.html | grep -o 'as macros of its source.*' | sed 's/ *Tune it again.*//; s/=[0-9]*/=N/g'; }
words
echo >>axpy.json
words
