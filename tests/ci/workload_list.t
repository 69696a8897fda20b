#!/bin/sh
# The page of the workloads is what the program makes of their files, wherever it is made: of a folder that has more in it, too.
# covers: workload_markdown.c cmd_list.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-list.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
n=0
same() { # NAME HAVE WANT: two files
	n=$((n + 1))
	if diff -u "$3" "$2" >"$work/differs"; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		sed 's/^/# /' "$work/differs" | head -40
	fi
}
page() { (cd "$1" && "$build/asctune" list workloads --markdown); }

page "$root" >"$work/page"
same "workloads/README.md is fresh: else \`asctune list workloads --markdown >workloads/README.md\`" "$work/page" "$root/workloads/README.md"

# One file, by arithmetic: 3 tiles x 2 = 6 combinations; TILE <= N leaves 2 x 2 of N = 128 and all of 512 and 4096.
mkdir "$work/workloads" && cd "$work" || exit 1
echo 'void one(void) {}' >workloads/one.c
cat >workloads/one.json <<'END'
{"asctune": 1, "name": "one", "operator": "twice|of_it", "description": "Doubles x * 2 <each>.",
 "problems": [{"name": "many", "dims": {"N": [128, 512, 4096], "flag": true}, "dtypes": {"T": "f32", "W": "i64"}, "tags": ["a", "b"]},
  {"name": "npu-only", "dims": {"N": [1, 2, 4, 8, 16], "flag": false}, "dtypes": {"T": "f16", "W": "i64"}, "devices": ["npu"]}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "inout", "verify": {"kind": "exact"}}},
 "reference": {"source": "one.c", "entry": "one", "arguments": [{"tensor": "x"}]},
 "implementations": [
  {"name": "loop", "devices": ["cpu"], "when": "T == 'f32'", "source": "one.c", "entry": "one", "arguments": [{"tensor": "x"}],
   "parameters": {"TILE": [64, 128, 256], "UNROLL": [1, 2]}, "constraints": ["TILE <= N"]},
  {"name": "a5", "devices": ["npu"], "when": "device.npu_arch == 3510", "source": "aclnn:Mul", "builder": "vendor", "arguments": [{"tensor": "x"}, {"tensor": "x"}, {"tensor": "x"}]},
  {"name": "atb", "index": 1, "devices": ["npu"], "unsupported": "C++ ABI | *"},
  {"name": "two", "index": 0, "devices": ["npu"], "scratch": {"s": {"shape": ["N"], "dtype": "T"}}, "calls": [
   {"source": "aclnn:Mul", "builder": "vendor", "arguments": [{"tensor": "x"}, {"tensor": "x"}, {"tensor": "s"}]},
   {"source": "aclnn:Add", "builder": "vendor", "arguments": [{"tensor": "s"}, {"tensor": "x"}, {"scalar": 1, "type": "i64"}, {"tensor": "x"}]}]}]}
END
cat >"$work/want" <<'END'

## twice\|of_it

`one.json`: Doubles x \* 2 &lt;each>.

| problem | sizes | types | devices | tags |
|---|---|---|---|---|
| `many` | N = 128 512 4096, flag = true | T = f32, W = i64 | all | a, b |
| `npu-only` | N = 1 … 16 (5 sizes), flag = false | T = f16, W = i64 | npu |  |

| implementation | index | device | made of | problems | combinations | configurations |
|---|--:|---|---|--:|--:|--:|
| `loop` | | CPU | cc `one.c` | 3 | 6 | 4 to 6 |
| `a5` | | npu | `aclnn:Mul` | 0 | | |
| `two` | 0 | `Ascend910B3` | `aclnn:Mul`, `aclnn:Add` | 8 | 1 | 1 |
| `atb` | 1 | npu | unsupported: C++ ABI \| \* | | | |
END
page . >"$work/page" 2>&1
sed -n '/^## /,$p' "$work/page" | sed '1i\\' >"$work/have"
same "a file of problems, ladders and calls" "$work/have" "$work/want"
echo "{" >workloads/two.json
"$build/asctune" list workloads --markdown >"$work/have" 2>&1
echo "exit $?" >>"$work/have"
printf '%s\n' "asctune: workloads/two.json:2:1: expected a key in double quotes, found the end of the text" "exit 2" >"$work/want"
same "a file that cannot be read is no page" "$work/have" "$work/want"
for options in "workloads --markdown --json" "devices --markdown" --markdown; do "$build/asctune" list $options; done >"$work/have" 2>&1
printf 'asctune list: %s\n' "--markdown and --json exclude each other" "--markdown is for workloads" "--markdown is for workloads" >"$work/want"
same "--markdown is for workloads alone" "$work/have" "$work/want"
echo "1..$n"
