# Workloads of kernels whose tables libraries read: cut out of a package, launched as the library launches them, right by check-workload; python3 without Triton is enough.
# covers: cmd_init.c skeleton.c reader_workload.c axes.c autotune.c
unset ASCTUNE_PYTHON
package=$ROOT/tests/data/package/vllm-0.1
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
	enum { PAIRS = 2 * 300, IDS = PAIRS + 8 * 255, BLOCKS = (PAIRS + 8 * 15 + 15) / 16, ROW = IDS + BLOCKS + 1 };
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
	for (int e = 0; e < 8; e++) /* 75 each; 8.6 is the standard deviation */
		bad += of_expert[e] < 40 || of_expert[e] > 110;
	printf("%d wrong\n", bad);
	return 0;
}
END
cc -std=c17 -Wall -Wextra -Werror -o routed routed.c && ./routed
echo "# a product of fp8"
run init product --from vllm:block-fp8 --set N=576,K=512,block_n=128,block_k=128,dtype=bf16 --package $package
ls product
run check-workload product/product.json
run space product/product.json --device sm_90 --problem M64
grep '"name":"M64"' product/product.json
# SGLang's kernel has one constant more, and another name.
mkdir -p other/sglang/kernels/ops/gemm
touch other/sglang/__init__.py
sed 's/_w8a8_triton_block_scaled_mm/_w8a8_block_fp8_matmul/; s/GROUP_SIZE_M: tl.constexpr,/&\n    needs_masking: tl.constexpr,/' \
	$package/vllm/model_executor/layers/quantization/utils/fp8_utils.py >other/sglang/kernels/ops/gemm/fp8_kernel.py
run init sg --from sglang:block-fp8 --set N=576,K=512,block_n=128,block_k=128,dtype=f16 --package other
run check-workload sg/sg.json
grep -e '"entry"' -e '"constants"' -e '"operator": "block-fp8", "sizes"' -B1 sg/sg.json
rm -r other
for sizes in N=576,K=512,block_n=96,block_k=128 N=576,K=512,block_n=128,block_k=16 N=576,K=512,block_n=0,block_k=128 N=65536,K=65536,block_n=128,block_k=128; do
	run init no --from vllm:block-fp8 --set $sizes,dtype=bf16 --package $package 2>&1
done
echo "# sizes that are none, and those that no layer has"
for sizes in M=0,$layer E=0,N=256,K=512,top_k=2,dtype=bf16 E=8,N=256,K=512,top_k=0,dtype=bf16 E=8,N=-1,K=512,top_k=2,dtype=bf16 E=8,N=1.5,K=512,top_k=2,dtype=bf16 \
	E=8,N=256,K=512,top_k=9,dtype=bf16 E=8,N=65536,K=65536,top_k=2,dtype=bf16 M=4,2147483647,$layer M=4,4,$layer \
	E=8,E=4,$layer E=8,16,N=256,K=512,top_k=2,dtype=bf16 E=8,N=256,K=512,top_k=2,dtype=f64 E=8,N=256,K=512,top_k=2 topk=2,E=8 Q=1,$layer 8 "" M=,$layer \
	E=99999999999999999999,N=1,K=1,top_k=1,dtype=f16; do
	run init no --from vllm:moe --set "$sizes" --package $package 2>&1
done
echo "# packages without the kernel, or with another one"
run init no --from vllm:moe --set $layer --package "$ROOT"/tests/data/package/served-1.2
run init no --from vllm:moe --set $layer --package none.whl
run init no --from vllm:moe --set $layer 2>&1 | sed 's|/[^ ]*/bin/[^ ]*|PYTHON|'
cp -r $package other
sed -i 's/SWAP_AB: tl.constexpr, USE_TD: tl.constexpr = False/USE_TD: tl.constexpr = False/' other/vllm/model_executor/layers/fused_moe/fused_moe.py
run init no --from vllm:moe --set $layer --package other
echo "# options"
run init no --from vllm:mow --set $layer
run init no --from fla --set $layer
run init no --from vllm:moe
run init no --from vllm:moe --lang c --set $layer
run init no --lang c --set $layer
run init no --lang c --package $package
run init layer --from vllm:moe --set $layer --package $package
run init a/b --from vllm:moe --set $layer --package $package
ls
