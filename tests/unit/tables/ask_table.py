"""Asks a table the questions of a file, one a line: the rule's number, or -1. LIBRARY MODULE_FOLDER TABLE QUESTIONS"""
import sys

sys.path.insert(0, sys.argv[2])
import asctune  # noqa: E402

table = asctune.Table(sys.argv[3], library=sys.argv[1])
for line in open(sys.argv[4]):
    words = iter(line.rstrip("\n").split("\t"))
    op, device, model = next(words), next(words), next(words)
    types = [(next(words), next(words)) for _ in range(int(next(words)))]
    sizes = {next(words): int(next(words)) for _ in range(int(next(words)))}
    active = [int(next(words)) for _ in range(int(next(words)))]
    answer = table.ask(op=op, device=device, device_model=None if model == "-" else model,
                       types={None if name == "-" else name: value for name, value in types} or None,
                       sizes=sizes, active=active)
    print(answer.config["constexprs"]["R"] if answer else -1)
