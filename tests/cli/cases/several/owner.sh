# Permissions: what others can write to or have put there is refused, with path and reason; results follow the umask, the cache does not.
# covers: owner.c places.c
tune() { asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --repeats 2 --budget 2 --db "$@" >/dev/null 2>err; echo "exit $?"; sed -n "/^load\|^cpu\|results in\|^$/d; s|$PWD/||g; s/^asctune: //p" err; }
modes() { for f; do stat -c '%a %n' "$f"; done; }
export ASCTUNE_CACHE_DIR="$PWD/cache"
echo '- umask'
for mask in 077 022 002; do
	(umask $mask
	tune m$mask.db --resume
	asctune export json --db m$mask.db -o m$mask >/dev/null
	asctune report --db m$mask.db -o m$mask.html >/dev/null 2>&1
	modes m$mask.db m$mask m$mask/* m$mask.html)
done
find cache -type d -printf '%m\n' | sort -u
echo '- the cache'
chmod 777 cache; tune a.db; chmod 700 cache
mv cache elsewhere; mkdir open; chmod 777 open; ln -s "$PWD/elsewhere" open/cache
ASCTUNE_CACHE_DIR="$PWD/open/cache" tune a.db
ln -s elsewhere cache; tune a.db; rm cache
mv elsewhere cache
for part in artifacts reference 'artifacts/??'; do
	chmod 777 cache/$part; tune b.db; chmod 700 cache/$part
done 2>&1 | sed 's|artifacts/[0-9a-f][0-9a-f]*|artifacts/XX|; s|: .*: the reference: cache|: cache|'
for part in artifacts reference; do
	mv cache/$part moved; ln -s "$PWD/moved" cache/$part; tune c.db; rm cache/$part; mv moved cache/$part
done
echo '- the default cache'
mkdir home; mkdir -p home/.cache/asctune tmp; chmod 777 home/.cache/asctune
(unset ASCTUNE_CACHE_DIR XDG_CACHE_HOME; HOME="$PWD/home" TMPDIR="$PWD/tmp" tune d.db) | sed "s/asctune-$(id -u)/asctune-UID/"
echo '- databases'
tune real.db
ln -s "$PWD/real.db" open/link.db
tune open/link.db
run best --db open/link.db
cp real.db into.db; run merge --db into.db open/link.db
chmod 1777 open
tune open/link.db
ln -s real.db link.db; tune link.db
