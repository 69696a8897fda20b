# Where the cache goes: ASCTUNE_CACHE_DIR, XDG_CACHE_HOME, HOME, else a private folder under TMPDIR, said once.
# covers: places.c
axpy="$WORKLOADS/axpy.json"
try() { env -u ASCTUNE_CACHE_DIR -u XDG_CACHE_HOME "$@" asctune run "$axpy" --device cpu --cache hot --budget 1 --db p.db 2>&1 >/dev/null | grep -i cache; }
try ASCTUNE_CACHE_DIR="$PWD/a"; ls a
try XDG_CACHE_HOME="$PWD/x"; ls x/asctune
mkdir home; try HOME="$PWD/home"; ls home/.cache/asctune
touch file; mkdir tmp
try HOME="$PWD/file" TMPDIR="$PWD/tmp" | sed "s/asctune-$(id -u)/asctune-UID/"; ls tmp/asctune-*/; ls -l tmp | sed -n "s/ .*asctune-[0-9]*[.]/ asctune-UID./p"
