#!/bin/sh
# One kernel of each family of tests/judge that cheats or errs, beside its honest twin and a slower kernel, on the CPU: it is not chosen, and neither
# of the others is refused. tests/bench/inputs judges all of them, in other languages, too. Takes $ASCTUNE_BUILD; 50 s.
# covers: harm.c poison.c own_answer.c unseen_inputs.c
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 -B - "${ASCTUNE_BUILD:-$root/build/dev}/asctune" "$root/tests/bench" <<'PY'
import sys

sys.path.insert(0, sys.argv[2])
import tuning  # noqa: E402
from inputs_judge import FAMILIES, PASSED, Family, Verdicts  # noqa: E402

SAMPLE = {"address": "form", "again": "check", "few": "check", "integers": "few", "moment": "moment", "number": "phase", "part": "small", "physics": "constant", "place": "both",
          "poison": "nan", "precision": "mantissa", "race": "soon", "reference": "behind", "special": "tail", "stale": "zeros", "structure": "answers", "value": "others", "warm": "copy", "writes": "zero"}

assert sorted(SAMPLE) == FAMILIES, f"families without a kernel here: {set(FAMILIES) ^ set(SAMPLE)}"
print(f"1..{2 * len(SAMPLE)}")
n = 0
with tuning.workplace() as folder:
    for family in map(Family, FAMILIES):
        cheat, honest = f"cheat-{SAMPLE[family.name]}", [*family.names("honest", "c"), family.names("twin", "c")[0]]
        v = Verdicts(sys.argv[1], family, "c", [*honest, cheat], folder, folder / "cache", family.options)
        refused = {name: v.status[name] for name in honest if v.status[name][0] not in PASSED}
        held = v.status[cheat][0] != "not tried" and v.chosen in honest
        n += 2
        print(f"{'ok' if held else 'not ok'} {n - 1} - {family.name}: {cheat} is not chosen")
        print(f"{'not ok' if refused else 'ok'} {n} - {family.name}: {', '.join(honest)} pass")
        for name, (status, reason) in {**({} if held else {cheat: v.status[cheat]}), **refused}.items():
            print(f"# {name}: {status}: {reason}; chosen: {v.chosen} {v.said[-200:]}", flush=True)
PY
