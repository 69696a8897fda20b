# asctune track over files: verdicts, change points, exit statuses, what is wrong with a file.
# covers: cmd_track.c series_csv.c
series() { # N LEVEL: N points around it
	awk -v n="$1" -v level="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%d,%.4f\n", i, level * (1 + ((i * 7919) % 101 - 50) / 5000) }'
}
{ echo index,value; series 60 100; } >flat.csv
{ echo index,value; series 60 100; series 3 106; } >worse.csv
{ echo index,value; series 60 100; series 3 94; } >better.csv
{ echo index,value; series 60 100; series 60 106; } >old.csv
{ echo index,value; series 60 100; series 1 106; } >one.csv
{ echo '# nights'; echo 'value,note'; printf '3,a\r\n\r\n 3 ,b\r\n'; } >few.csv
run track --series flat.csv
run track --series worse.csv
run track --series better.csv
run track --series old.csv
run track --series one.csv
run track --series one.csv --strict
run track --series few.csv
echo 3 >alone.csv
run track --series alone.csv
run track --series old.csv --json | sed -E 's/\.[0-9]+//g; s/e-[0-9]+//g' # platforms differ in the last digits
awk 'BEGIN { for (i = 0; i < 45; i++) print 100 * (1 + i / 1500) + (i * 7919) % 101 / 500 }' >drift.csv
awk 'BEGIN { for (i = 0; i < 10; i++) print i < 5 ? "1e302" : "1.1e302" }' >huge.csv
run track --series drift.csv
run track --series huge.csv
run track --series worse.csv --markdown summary.md --junit junit.xml
cat summary.md junit.xml
{ cat flat.csv; echo 60,fast; } >word.csv
{ cat flat.csv; echo 60,nan; } >nan.csv
{ echo value,note; echo 1,a; echo; echo ,b; } >empty.csv
{ echo a,value; echo 1,2; echo 3; } >short.csv
: >nothing.csv
echo index,value >header.csv
for f in word nan empty short nothing header missing; do run track --series $f.csv; done
run track --series flat.csv --markdown missing/summary.md
# Which column is meant is not guessed; quotes, tabs, semicolons, empty cells and pipes.
awk 'BEGIN { print "date,ms,runs"; for (i = 0; i < 40; i++) printf "2026-01-%02d,%.3f,5\n", i % 28 + 1, (i < 36 ? 100 : 110) + i % 3 / 10 }' >wide.csv
run track --series wide.csv
run track --series wide.csv --column ms
run track --series wide.csv --column 2
run track --series wide.csv --column us
run track --series wide.csv --column date
sed 1d wide.csv >bare.csv
run track --series bare.csv
run track --series bare.csv --column 2
run track --series bare.csv --column 1
run track --series bare.csv --column 7
cut -d, -f2 bare.csv | tr . , >commas.csv
run track --series commas.csv
tr ',.' ';,' <wide.csv >german.csv
run track --series german.csv --column ms
sed 's/[^,]*/"&"/g' wide.csv >quoted.csv
run track --series quoted.csv --column ms
tr , '\t' <wide.csv >tabs.tsv
run track --series tabs.tsv --column ms
sed '5s/,.*,/,,/; 9s/,.*,/,"",/' wide.csv >gaps.csv
run track --series gaps.csv --column ms
{ echo 5ms; cut -d, -f2 bare.csv; } >unit.csv
run track --series unit.csv
cut -d, -f2 bare.csv | asctune track --series -
cut -d, -f2 bare.csv | asctune track --series /dev/stdin
run track --series wide.csv --series bare.csv
run track --column ms
run track --series .
