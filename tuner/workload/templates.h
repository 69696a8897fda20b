/* Texts of the files in workloads/templates, part of the library: @NAME@ stands for the name of the
 * workload that is made of them, other marks are filled in by who writes it. */
#ifndef ASCTUNE_WORKLOAD_TEMPLATES_H
#define ASCTUNE_WORKLOAD_TEMPLATES_H

extern const char template_c_json[], template_cuda_json[], template_triton_json[],
	template_kernel_c[], template_kernel_cu[], template_kernel_py[], template_reference_c[],
	template_block_fp8_json[], template_alignment_py[], template_routing_c_in[],
	template_moe_json[], template_moe_implementation_in[], template_moe_sort_in[],
	template_moe_few_in[], template_moe_fp8_in[], template_moe_block_fp8_in[],
	template_vllm_moe_call_in[], template_sglang_moe_call_in[];

#endif
