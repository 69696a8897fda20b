# A workload of a captured program, whose list and grid are tables, as T1 files; a table without a row for some combinations is named.
# covers: t1_export.c t1_write.c expr_plain.c expr_table.c
cp -r "$ROOT"/tests/data/capture/add .
run export t1 add/add.json --device sm_90 --problem p0 -o out
sed 's/,"KernelSpecification".*"GlobalSize"/ ... "GlobalSize"/; s/.*"Conditions"/"Conditions"/' out/*_T1.json
run space add/add.json --device sm_90 --problem p0
run space out/*_T1.json # as many are valid
sed 's/\["p0", 32, 1\], //' add/add.json >add/holes.json
run export t1 add/holes.json --device sm_90 --problem p0 -o out
