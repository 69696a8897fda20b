# What the exporters json, csv, t4 and t1 write of one database and one workload, byte by byte; what comes in again and goes out is the same.
# covers: best_json.c csv_export.c t4_export.c t1_export.c import.c
export ASCTUNE_CACHE_DIR="$PWD/cache" # with no peaks of this machine, which may be the one that the databases are of
golden 12 a.db
for exporter in json csv t4; do run export $exporter --db a.db -o out; done
run export t1 "$WORKLOADS/axpy.json" --device cpu --problem small -o out
(cd out && for file in *; do echo "== $file"; sed "s/\"Device\":{\"Name\":\"[^\"]*\"}/DEVICE/" "$file" | tr "\r" "~"; done)
asctune import out/*_T4.json --db b.db 2>/dev/null
for exporter in csv t4; do run export $exporter --simulated --db b.db -o back; done
for file in out/*_T4.json; do cmp "$file" "back/$(basename "$file")"; done
