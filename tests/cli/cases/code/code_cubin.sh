# Machine code of cubins (tests/data/code/steps.cu says of which): counts, PTX and lines need no disassembler; the one here is a script that prints what
# nvdisasm 13.5.37 did for the kernel `scale`. Then files that are spoilt, and options that do not go together.
# covers: cmd_code.c code_side.c code_text.c code_source.c code_against.c
cp "$ROOT"/tests/data/code/steps-*.cubin . && cp "$ROOT/tests/data/code/steps.cu" kernels.cu
mkdir bin empty
{
	echo '#!/bin/sh'
	for chip in 90 120; do
		echo "case \$2 in *-$chip.cubin) printf '%s\n' '"
		cat "$ROOT/tests/data/code/scale-$chip.sass"
		echo "' ;; esac"
	done
} >bin/nvdisasm && chmod +x bin/nvdisasm
echo '== counts, of one whose compiler notes no spills, too'
run code steps-90.cubin
run code steps-75.cubin | grep registers
run code steps-120.cubin --json | sed 's/"file":"[^"]*"/"file":"F"/; s/,"loop_spills".*//'
echo '== PTX'
run code steps-75.cubin --what ptx | grep -E '^\.(target|visible)|exit'
echo '== lines of the source'
run code steps-120.cubin --what source
run code steps-90.cubin --what source --json | grep -o '"file":"/kernels.cu","line":6[^}]*}'
echo '== the listing, which knows one kernel of two'
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --what sass | sed -n '/^scale/,/EXIT/p; /STG/p'
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --what sass --json | grep -o '{"address":256,[^}]*}'
echo '== a difference, and code that is the same'
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --against steps-120.cubin | sed -n '/^scale/,$p'
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --against steps-120.cubin --json | grep -o '"same":[0-9]*,"only_here".*'
run code steps-90.cubin --against steps-90.cubin | grep -c 'the code is the same'
echo '== a disassembler that fails'
printf '#!/bin/sh\necho "no such chip"; exit 7\n' >bin/nvdisasm
PATH="$PWD/bin:$PATH" run code steps-90.cubin --what sass 2>&1 | sort -u
echo '== one that prints a part, or nothing that can be read: figures and opcodes of cubins need none'
head -n 20 "$ROOT/tests/data/code/scale-90.sass" >part
printf '#!/bin/sh\nwhile read -r line; do printf "%%s\\n" "$line"; done <<"END"\n%s\nEND\n' "$(cat part)" >bin/nvdisasm
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --against steps-120.cubin 2>&1 | sed -n '/^scale/,$p' | grep -E '^(scale|opcodes|lines)'
printf '#!/bin/sh\nprintf "\\000\\377\\033[2J\\n.text.scale:\\n/*0000*/\\n"\n' >bin/nvdisasm
PATH="$PWD/bin:$PATH" asctune code steps-90.cubin --against steps-120.cubin 2>&1 | sed -n '/^scale/,$p' | grep -E '^(scale|opcodes|lines)'
echo '== files that are spoilt: cut short, sections beyond the end, an unknown chip, hostile names'
patch_file() { # FROM TO OFFSET BYTES
	cp "$1" "$2" && printf "$4" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}
head -c 9000 steps-90.cubin >cut.cubin
run code cut.cubin
patch_file steps-90.cubin beyond.cubin 40 '\377\377\377\177'
run code beyond.cubin
patch_file steps-90.cubin chip.cubin 48 '\202'
run code chip.cubin
LC_ALL=C sed 's/scale/s\x1b[1m/g' steps-90.cubin >names.cubin
run code names.cubin | grep 'm ('
LC_ALL=C sed 's/\.nv\.info\.scale/.nv.info.sc\nle/g; s/scale/sc\nle/g' steps-90.cubin >lines.cubin
run code lines.cubin | grep 'le ('
cp steps-90.cubin large.cubin; truncate -s 257M large.cubin
run code large.cubin
rm large.cubin
: >nothing.cubin
run code nothing.cubin
run code kernels.cu
run code absent.cubin
echo '== what is no question'
run code
run code steps-90.cubin --config default
run code steps-90.cubin --what listing
run code steps-90.cubin --what ptx --against steps-120.cubin
run code 1 --config default
run code 99999 -d absent.db
