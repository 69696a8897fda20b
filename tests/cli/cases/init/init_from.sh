# Workloads of kernels whose tables libraries read: cut out of a package, launched as the library launches them, right by check-workload; python3 without Triton is enough.
# covers: cmd_init.c skeleton.c reader_workload.c reader_kernel.c axes.c autotune.c
unset ASCTUNE_PYTHON
package=$ROOT/tests/data/package/vllm-0.1
sglang=$ROOT/tests/data/package/sglang-0.1
layer=E=8,N=256,K=512,top_k=2,dtype=bf16
run init layer --from vllm:moe --set $layer --package $package
ls layer
run check-workload layer/layer.json
for problem in M64 M1; do run space layer/layer.json --device sm_90 --problem $problem; done
grep -o '"name":"M[0-9]*"' layer/layer.json | tr '\n' ' '; echo
grep -e '"name":"M\(2\|48\|4096\)"' -e X-source layer/layer.json
grep -e "define EXPERTS" -e "define TOP_K" layer/routing.c | head -n 2
grep -c @ layer/layer.json layer/routing.c layer/fused_moe.py
run init few --from vllm:moe --set M=1,7,300,E=8,N=256,K=512,top_k=3,dtype=f16 --package $package
grep '"name":"M' few/few.json
echo "# routing: each token has different experts, each block one expert, and the padded number of ids stands behind"
cat >routed.c <<'END'
#include "layer/routing.c"
#include <stdio.h>

int main(void)
{
	enum { PAIRS = 2 * 300, IDS = PAIRS + 9 * 256, BLOCKS = (PAIRS + 15) / 16 + 10, ROW = IDS + BLOCKS + 1 };
	static double all[5 * ROW];
	int expert[PAIRS], bad = 0, of_expert[8] = {0};

	fill_alignments(all, 5 * ROW, 7);
	for (int row = 0; row < 5; row++) {
		const double *ids = all + row * ROW, *experts = ids + IDS;
		const int block = 16 << row, padded = (int)experts[BLOCKS];
		int seen[PAIRS] = {0};

		bad += padded % block != 0 || padded > PAIRS + 8 * (block - 1);
		for (int i = 0; i < padded; i++) {
			const int id = (int)ids[i], e = (int)experts[i / block];

			if (id == PAIRS)
				continue;
			seen[id]++;
			bad += row > 0 && expert[id] != e;
			expert[id] = e;
		}
		for (int i = 0; i < PAIRS; i++)
			bad += seen[i] != 1 || (i % 2 && expert[i] == expert[i - 1]);
	}
	for (int i = 0; i < PAIRS; i++)
		of_expert[expert[i]]++;
	for (int e = 0; e < 8; e++) { /* each has tokens[e] of 16 places, at most 8.7 is the standard deviation */
		const int wanted = (int)(tokens[e] * PAIRS / SUM);

		bad += of_expert[e] < wanted - (wanted ? 35 : 0) || of_expert[e] > wanted + (wanted ? 35 : 0);
	}
	printf("%d wrong\n", bad);
	return 0;
}
END
cc -std=c17 -Wall -Wextra -Werror -DSUM=8 -o routed routed.c && ./routed
echo "# routing by the tokens of each expert: parts of all; none for some, and one that every token goes to"
echo '[4, 0, 1, 0.5, 0.5, 1, 0, 1]' >counts.json
printf '40 0 10\n5,5 10\t0 10\n' >counts.txt
for counts in counts.json counts.txt; do
	rm -rf layer
	run init layer --from vllm:moe --set M=300,$layer --package $package --routing $counts
	grep -A1 "double tokens" layer/routing.c
	cc -std=c17 -Wall -Wextra -Werror "-DSUM=(tokens[0] * 2)" -o routed routed.c && ./routed
done
echo "# shares that are rounded: an expert with a little more than all tokens"
echo .502 .071 .071 .071 .071 .071 .071 .072 >rounded.txt
rm -r layer
run init layer --from vllm:moe --set M=300,$layer --package $package --routing rounded.txt | head -n 1
cc -std=c17 -Wall -Wextra -Werror -DSUM=1 -o routed routed.c && ./routed
head -c 5 counts.json >cut.json
echo '{"0": 4}' >object.json
echo '[1, 1, 1, 1, 1, 1, 1, "1"]' >text.json
echo 1 1 1 1 1 1 1 >seven.txt
echo 1 1 1 1 1 1 1 1 1 >nine.txt
echo 1 1 1 -1 1 1 1 1 >negative.txt
echo 1 1 1 nan 1 1 1 1 >nan.txt
echo 1 1 1 x 1 1 1 1 >word.txt
echo 0 0 0 0 0 0 0 0 >none.txt
echo 1 5 1 1 0 0 0 0 >most.txt
: >empty.txt
for counts in missing.txt . empty.txt cut.json object.json text.json seven.txt nine.txt negative.txt nan.txt word.txt none.txt most.txt; do
	run init no --from vllm:moe --set $layer --package $package --routing $counts 2>&1
done
run init no --from vllm:block-fp8 --set N=576,K=512,block_n=128,block_k=128,dtype=bf16 --package $package --routing counts.txt
echo "# a product of fp8"
run init product --from vllm:block-fp8 --set N=576,K=512,block_n=128,block_k=128,dtype=bf16 --package $package
ls product
run check-workload product/product.json
run space product/product.json --device sm_90 --problem M64
grep '"name":"M64"' product/product.json
run init sg --from sglang:block-fp8 --set N=576,K=512,block_n=128,block_k=128,dtype=f16 --package $sglang
run check-workload sg/sg.json
grep -e '"entry"' -e '"constants"' -e '"operator": "block-fp8", "sizes"' -B1 sg/sg.json
echo "# layers of fp8: a scale for each tensor, and scales of blocks; each library's launches and defaults"
blocks=block_n=64,block_k=128
for of in vllm:$package sglang:$sglang; do
	name=${of%%:*}
	rm -rf bf fp8 blocks
	run init bf --from $name:moe --set M=1,64,$layer --package ${of#*:} >/dev/null
	run init fp8 --from $name:moe --set M=1,64,E=8,N=256,K=512,top_k=2,dtype=fp8_w8a8 --package ${of#*:}
	run init blocks --from $name:moe --set M=1,64,E=8,N=256,K=512,top_k=2,dtype=fp8_w8a8,$blocks --package ${of#*:} | head -n 1
	run check-workload bf/bf.json fp8/fp8.json blocks/blocks.json
	run space blocks/blocks.json --device sm_90 --problem M64 | head -n 4
	for made in bf fp8 blocks; do
		grep -e '"name":"M64"' -e '"export"' $made/$made.json
		grep -c '@' $made/$made.json
		awk '/"arguments": \[/ { n++ } n == 3 && /"(tensor|scalar)": "(x_scale|gated_scale|none)"/ || n == 3 && /block_k|"scalar": "[01]"/ || n == 2 && /swap|SWAP|USE_GDC|_pdl/' $made/$made.json
	done
done
echo "# sizes that the scales' blocks do not divide, and blocks that are none"
for sizes in N=192,K=512,block_n=128,block_k=64 N=192,K=512,block_n=64,block_k=128 N=256,K=448,block_n=128,block_k=128 N=256,K=512,block_n=96,block_k=128 N=256,K=512,block_n=128 N=256,K=512,block_k=128; do
	run init no --from sglang:moe --set E=8,top_k=2,dtype=fp8_w8a8,$sizes --package $sglang 2>&1
done
run init no --from sglang:moe --set $layer,block_n=128,block_k=128 --package $sglang
echo "# products"
for sizes in N=576,K=512,block_n=96,block_k=128 N=576,K=512,block_n=128,block_k=16 N=576,K=512,block_n=0,block_k=128 N=65536,K=65536,block_n=128,block_k=128; do
	run init no --from vllm:block-fp8 --set $sizes,dtype=bf16 --package $package 2>&1
done
echo "# sizes that are none, and those that no layer has"
for sizes in M=0,$layer E=0,N=256,K=512,top_k=2,dtype=bf16 E=8,N=256,K=512,top_k=0,dtype=bf16 E=8,N=-1,K=512,top_k=2,dtype=bf16 E=8,N=1.5,K=512,top_k=2,dtype=bf16 \
	E=8,N=256,K=512,top_k=9,dtype=bf16 E=8,N=65536,K=65536,top_k=2,dtype=bf16 M=4,2147483647,$layer M=4,4,$layer \
	E=8,E=4,$layer E=8,16,N=256,K=512,top_k=2,dtype=bf16 E=8,N=256,K=512,top_k=2,dtype=f64 E=8,N=256,K=512,top_k=2 topk=2,E=8 Q=1,$layer 8 "" M=,$layer \
	E=99999999999999999999,N=1,K=1,top_k=1,dtype=f16 E=993,N=256,K=512,top_k=2,dtype=bf16 E=8,N=256,K=512,top_k=2,dtype=fp8; do
	run init no --from vllm:moe --set "$sizes" --package $package 2>&1
done
echo "# packages without the kernel, or with another one"
run init no --from vllm:moe --set $layer --package "$ROOT"/tests/data/package/served-1.2
run init no --from vllm:moe --set $layer --package none.whl
run init no --from vllm:moe --set $layer 2>&1 | sed 's|/[^ ]*/bin/[^ ]*|PYTHON|'
cp -r $package other
sed -i 's/HAS_BIAS: tl.constexpr, //' other/vllm/model_executor/layers/fused_moe/fused_moe.py
run init no --from vllm:moe --set $layer --package other
echo "# options"
run init no --from vllm:mow --set $layer
run init no --from fla --set $layer
run init no --from vllm:moe
run init no --from vllm:moe --lang c --set $layer
run init no --lang c --set $layer
run init no --lang c --package $package
run init no --lang c --routing counts.txt
run init layer --from vllm:moe --set $layer --package $package
run init a/b --from vllm:moe --set $layer --package $package
ls
