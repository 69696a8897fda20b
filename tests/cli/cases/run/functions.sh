# Functions of Python as implementations: right ones in several forms, and faults, each the result of its configuration in one sentence; the others go on.
# What a call leaves behind costs its process, not its result.
# covers: python_call.c python_worker.c worker_library.c
unset ASCTUNE_PYTHON
cp -r "$WORKLOADS"/calls* .
mkdir without && echo 'raise ImportError("not here")' >without/torch.py
said() { # status, phase and reason of each implementation, in the order of the workload
	python3 - <<'END'
import json, re
lines = [json.loads(line) for line in open("lines")]
trials = {line["implementation"]: line for line in lines if line["type"] == "trial"}
for i in json.load(open("calls.json"))["implementations"]:
    t = trials.get(i["name"], {"status": "left out", "phase": ""})
    reason = re.sub(r", line [0-9]+", ", line N", t.get("reason", ""))
    print(f"{i['name']:15} {t['status']:13} {'' if t['status'] == 'ok' else t['phase']:8} {reason}".rstrip())
END
}
PYTHONPATH="$PWD/without" asctune run calls.json -D cpu --python python3 --no-race --repeats 600 --cache hot --limit 2s --no-history --db a.db --json >lines 2>err
echo "exit $?"
said
grep -v threadpoolctl err | sed 's| [^ ]*/python3| PYTHON|'
unset ASCTUNE_PYTHON
# without an interpreter that was named they take part where they are asked for; what is named and is none is said
asctune run calls.json -D cpu --budget 2 --no-history --db b.db --json 2>/dev/null | grep '"type":"trial"' | grep -o '"implementation":"[a-z]*"'
asctune run calls.json -D cpu --impl right --budget 2 --no-history --db b.db --json 2>/dev/null | grep '"type":"trial"' | grep -o '"implementation":"[a-z]*"\|"status":"[a-z]*"'
printf '#!/bin/sh\necho "SyntaxError: invalid syntax" >&2\nexit 1\n' >old && chmod +x old
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\363\000\001' >riscv && chmod +x riscv # its first bytes
for python in /nowhere/python ./old /bin/true ./riscv; do
	run run calls.json -D cpu --impl right --python $python --no-history --db b.db
done
# nobody waits for a call that is to end; one signal, not one more for the group: two end it at once
timeout --foreground -s INT 10 asctune run calls.json -D cpu --python python3 --impl sleeps --limit 600s --no-history --db c.db 2>&1 | grep '^stopped'
