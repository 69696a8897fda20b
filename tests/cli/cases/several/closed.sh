# Streams that are closed: no file of asctune's takes their place, so that no message is written into it.
# covers: main.c
tune() { asctune run "$WORKLOADS/axpy.json" -p small --device cpu --cache hot --repeats 2 --budget 2 --db c.db --json "$@"; }
sound() { # STATUS
	echo "exit $1: $(sqlite3 c.db 'pragma integrity_check; select count(*) from trial' | tr '\n' ' ')"
	rm -f c.db*
}
tune >out 2>err <&-; sound $?
tune 2>err >&-; sound $?
cat err
tune >out 2>&-; sound $?
tune <&- >&- 2>&-; sound $?
echo '- what is written to none is no result'
asctune list devices >&-; echo "exit $?"
asctune list devices 2>&- >out; echo "exit $?"
asctune export json --db gone.db -o . 2>&- >&-; echo "exit $?"
