#!/bin/sh
# Completion in bash, zsh and fish, by the scripts that are installed: each shell is asked, where it is there.
# covers: cmd_completion.c completion.c completion_bash.c completion_fish.c completion_zsh.c
here=$(cd "$(dirname "$0")" && pwd -P)
build="${ASCTUNE_BUILD:-$here/../../build/dev}"
export PATH="$build:$PATH" LC_ALL=C.UTF-8
base=$(mktemp -d "${TMPDIR:-/tmp}/asctune-completion.XXXXXX") || exit 1
trap 'rm -rf "$base"' EXIT INT TERM
mkdir "$base/files" "$base/files/sub dir" && cd "$base/files" && touch a.json b.txt 'c d.json'
mkdir "$base/zsh"
asctune completion bash >"$base/bash"
asctune completion zsh >"$base/zsh/_asctune"
asctune completion fish >"$base/fish"

n=0
failed=0
check() { # NAME WANT HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" && return
	echo "not ok $n - $1"
	printf 'want:\n%s\nhave:\n%s\n' "$2" "$3" | sed 's/^/# /'
	failed=1
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
names() { # KIND: what `asctune list KIND` has, but for options of an entry
	asctune list "$1" --json | sed -n 's/^{"name":"\([^" ]*\)".*/\1/p'
}
commands=$(asctune --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')

# ---- bash ----

in_bash() { # WORD...: what bash offers for the last one, a line
	bash --norc --noprofile -c 'source "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _asctune; printf "%s\n" "${COMPREPLY[@]}"' "$base/bash" asctune "$@" | sort | tr '\n' ' ' | sed 's/ $//'
}
sorted() { # WORD... in the order of in_bash
	printf '%s\n' "$@" | sort | tr '\n' ' ' | sed 's/ $//'
}
options() { # COMMAND: its options, as its --help has them
	asctune "$1" --help | grep -oE '^ +(-., +)?--[a-z-]+' | grep -oE '[-][-][a-z-]+' | grep -v -e '^--usage$' | sort -u
}
if command -v bash >/dev/null; then
	# shellcheck disable=SC2086
	check "bash: commands" "$(sorted --help --version $commands)" "$(in_bash '')"
	check "bash: the commands that begin with ru" "run runs" "$(in_bash ru)"
	missing=
	for command in $commands; do
		[ "$(options "$command" | tr '\n' ' ')" = "$(in_bash "$command" -- | tr ' ' '\n' | sort -u | tr '\n' ' ')" ] || missing="$missing $command"
	done
	check "bash: the options of each command are those of its --help" '' "$missing"
	check "bash: strategies" "$(sorted $(names strategies))" "$(in_bash run --strategy '')"
	check "bash: an option's short name" "model" "$(in_bash replay -s mo)"
	check "bash: a value behind =" "hot" "$(in_bash run --cache = h)"
	check "bash: all values behind =" "cold hot" "$(in_bash run --cache =)"
	check "bash: exporters, workloads and folders" "$(sorted $(names exporters) a.json 'c d.json' 'sub dir')" "$(in_bash export '')"
	check "bash: importers" "$(sorted $(names importers))" "$(in_bash import --from '')"
	check "bash: probes" "$(sorted $(names probes))" "$(in_bash run --probe '')"
	check "bash: rewrites" "$(sorted all $(names rewrites))" "$(in_bash space --no-rewrite '')"
	check "bash: devices" "auto cpu cuda npu" "$(in_bash run -D '')"
	check "bash: kinds of things to list" "builders devices" "$(sorted $(in_bash list d) $(in_bash list b))"
	check "bash: languages of a skeleton" "c cuda triton" "$(in_bash init x --lang '')"
	check "bash: workloads and folders" "a.json c d.json sub dir" "$(in_bash run '')"
	check "bash: any file" "a.json b.txt c d.json sub dir" "$(in_bash merge '')"
	check "bash: folders alone" "sub dir" "$(in_bash export json --output '')"
	check "bash: a word of its own" "ack" "$(in_bash track '')"
	check "bash: nothing where a number stands" "" "$(in_bash run --seed '')"
	check "bash: an option behind one whose value may be left out" "--json" "$(in_bash best --watch --js)"
else
	skip bash "bash is missing"
fi

# ---- zsh ----

in_zsh() { # LINE...: what each becomes by the key of completion, on a terminal of its own
	cat >"$base/ask" <<'ZSH'
zmodload zsh/zpty
base=$1
shift
zpty z zsh -f -i
zpty -w z "fpath=($base/zsh \$fpath); autoload -U compinit; compinit -u -D; show() { zle complete-word; print -r -- \"\$BUFFER|\" >>$base/said; BUFFER= }; zle -N show; bindkey '^T' show; : >$base/said"
until [[ -e $base/said ]]; do zpty -r -t z ignored; sleep 0.02; done
lines=0
for line; do
	zpty -w -n z "$line"$'\x14'
	((lines++))
	for ((i = 0; i < 500 && $(wc -l <$base/said) < lines; i++)); do zpty -r -t z ignored; sleep 0.02; done
done
zpty -d z
ZSH
	zsh -f "$base/ask" "$base" "$@"
	cat "$base/said"
}
if command -v zsh >/dev/null && zsh -f -c 'zmodload zsh/zpty && zpty z true' 2>/dev/null; then
	check "zsh: commands, options, values, files" 'asctune doctor |
asctune run --strategy=|
asctune run --strategy=exhaustive |
asctune run -s exhaustive |
asctune run --cache=hot |
asctune run a.json |
asctune run sub\ dir/|
asctune export trace |
asctune merge b.txt |
asctune init x --lang triton |
asctune track ack |
asctune run --no-rewrite axis-limit --no-rewrite=|
asctune run --seed |' "$(in_zsh 'asctune doc' 'asctune run --strat' 'asctune run --strategy=exh' 'asctune run -s exh' 'asctune run --cache=h' 'asctune run a' 'asctune run su' \
		'asctune export trac' 'asctune merge b' 'asctune init x --lang tr' 'asctune track a' 'asctune run --no-rewrite axis-limit --no-rewr' 'asctune run --seed ')"
else
	skip zsh "zsh is missing, or has no terminals"
fi

# ---- fish ----

in_fish() { # LINE: what fish offers, without its help
	fish --no-config -c 'source "$argv[1]"; complete -C "$argv[2]"' "$base/fish" "$1" | cut -f1 | sort | tr '\n' ' ' | sed 's/ $//'
}
if command -v fish >/dev/null && fish --no-config -c true 2>/dev/null; then
	# shellcheck disable=SC2086
	check "fish: commands" "$(sorted $commands)" "$(in_fish 'asctune ')"
	check "fish: the options that begin so" "--db --device --durable" "$(in_fish 'asctune run --d')"
	check "fish: strategies" "$(sorted $(names strategies))" "$(in_fish 'asctune run --strategy ')"
	check "fish: a value behind =" "--cache=hot" "$(in_fish 'asctune run --cache=h')"
	check "fish: exporters" "t1 t4 trace" "$(in_fish 'asctune export t')"
	check "fish: a word that is another command's name" "run" "$(in_fish 'asctune show ')"
	check "fish: languages of a skeleton" "c cuda triton" "$(in_fish 'asctune init x --lang ')"
	check "fish: files" "a.json" "$(in_fish 'asctune run a')"
else
	skip fish "fish is missing"
fi

# ---- installed ----

if command -v cmake >/dev/null && DESTDIR=$base/root cmake --install "$build" >"$base/log" 2>&1; then
	places=
	for pair in bash:bash-completion/completions/asctune zsh/_asctune:zsh/site-functions/_asctune fish:fish/vendor_completions.d/asctune.fish; do
		cmp -s "$base/${pair%%:*}" "$(find "$base/root" -path "*/share/${pair#*:}")" || places="$places ${pair#*:}"
	done
	check "the scripts are installed where the shells look for them" '' "$places"
else
	skip "the scripts are installed where the shells look for them" "nothing can be installed here"
fi
echo "1..$n"
exit $failed
