# A kernel whose file never finishes loading: the time-out says which limit that is, and why it is longer than that of a launch.
# covers: workers_ask.c
cp "$WORKLOADS/axpy.json" w.json
cp -r "$WORKLOADS/axpy" axpy
printf '#include <unistd.h>\n__attribute__((constructor)) static void wait_for_ever(void) { for (;;) pause(); }\n' >>axpy/kernel.c
asctune run w.json -D cpu -p small --cache hot --limit 200ms --config BLOCK=256,UNROLL=1,THREADS=1 --db l.db >out 2>&1
echo "exit $?"; sed -n 's|^  result  *||p' out
