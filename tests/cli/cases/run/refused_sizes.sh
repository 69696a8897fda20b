# Sizes that an operator is not defined for are refused before anything is built: what the workload requires of its problems.
# covers: binding.c
run run "$ROOT/workloads/rotary_embedding.json" --device cpu --problem tiny --dims R=7 --db r.db
run run "$ROOT/workloads/rotary_embedding.json" --device cpu --problem tiny --dims R=10 --db r.db
run run "$ROOT/workloads/apply_rotary_pos_emb.json" --device cpu --problem tiny --dims D=9 --db r.db
run run "$ROOT/workloads/causal_softmax.json" --device cpu --problem tiny --dims Q=4 --db r.db
run run "$ROOT/workloads/rms_norm.json" --device cpu --problem in-place --dims GAP=4 --db r.db
