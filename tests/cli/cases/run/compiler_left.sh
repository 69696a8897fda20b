# Compilers end with a coordinator that is killed, with what they have started, in a session of its own too; their folder goes with them.
# covers: guard.c orphans.c
cat >cc <<'END'
#!/bin/sh
case " $* " in
*" --version "* | *" -E "*) exec /usr/bin/cc "$@" ;;
esac
setsid sleep 1234.5 &
sleep 1234.5
END
chmod +x cc
export CC="$PWD/cc" ASCTUNE_CACHE_DIR="$PWD/cache"
compilers() { # those of this case
	for p in /proc/[0-9]*; do
		tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qx "CC=$CC" && grep -q '^sleep' "$p/cmdline" 2>/dev/null && echo "${p#/proc/}"
	done
}
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 3 --jobs 2 --db c.db >out 2>&1 & coordinator=$!
for i in $(seq 300); do [ "$(compilers | wc -l)" -lt 4 ] || break; sleep 0.1; done
compilers | wc -l
kill -9 $coordinator
wait $coordinator 2>/dev/null
for i in $(seq 100); do [ -n "$(compilers)" ] || ls cache/artifacts | grep -q tmp- || break; sleep 0.1; done
compilers | sed "s|.*|a compiler is left|"
compilers | xargs -r kill -9
ls cache/artifacts | grep tmp-
echo done
