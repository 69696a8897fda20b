/* A cubin is an ELF file of 64 bits, little-endian, machine 190. Facts of a kernel called NAME:
 *
 *     section .nv.info         records of all kernels; each names its kernel by the index of its
 *                              symbol
 *     section .nv.info.NAME    records of this kernel
 *     section .text.NAME       its instructions, which the symbol names by the section's number
 *     section .nv.shared.NAME  static shared memory, its size
 *     section .nv.shared.reserved.0  from compute capability 9.0 on: the size above has the memory
 *                              that the driver reserves in each block
 *     sections .nv.global, .nv.global.init  variables of the module that kernels may write: those
 *                              that begin as zeros, without bytes in the file, and the others
 *     section .nv_debug_ptx_txt  lines of PTX, each ended by a NUL
 *
 * A record has a byte of format, a byte of attribute and 16 bits; with format 4 these are a number
 * of bytes that follow. The attributes were found by comparison with cuobjdump -res-usage and
 * nvdisasm 13.5 on 216 kernels of NVRTC 12.4 to 13.5. */
#include "tuner/code/cubin_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/code/sass.h"

enum {
	NAME_SIZE = 512,
	RESERVED_BYTES = 1024 /* of a block, by the driver: CUDA C++ Programming Guide, 13.0 */
};

enum {
	FORMAT_BYTES = 4,
	ATTRIBUTE_FRAME = 0x11,     /* symbol, bytes of its stack */
	ATTRIBUTE_REGISTERS = 0x2f, /* symbol, number */
	ATTRIBUTE_NOTES = 0x55,     /* pairs of a kind and an offset into the code */
	NOTE_SPILL = 1              /* kind of an instruction that spills */
};

/* ---- the file ---- */

struct elf_part cubin_find_section(const struct cubin *c, const char *name)
{
	Elf64_Shdr section;

	return elf_find_section(&c->elf, name, &section) ? elf_contents(&c->elf, &section)
							 : (struct elf_part){NULL, 0};
}

bool cubin_is_one(const void *data, size_t n)
{
	return elf_machine(data, n) == EM_CUDA;
}

enum asc_status cubin_open(const void *data, size_t n, struct cubin *out, struct asc_err *e)
{
	*out = (struct cubin){0};
	if (!elf_open(data, n, &out->elf) || !cubin_is_one(data, n))
		return asc_err_set(e, ASC_INPUT, "is no cubin");
	const Elf64_Ehdr *head = &out->elf.head;

	/* Version 8 of the format, by compilers since 13.0 and for newer chips, has the capability
	 * one byte higher. */
	out->capability = (int)(head->e_ident[EI_ABIVERSION] >= 8 ? head->e_flags >> 8 & 0xffff
								  : head->e_flags & 0xff);
	if (!out->elf.names.data)
		return asc_err_set(e, ASC_INPUT, "is a cubin that is cut off or spoilt");
	return ASC_OK;
}

/* ---- kernels ---- */

/* Finds the number of a kernel's symbol; 0, which is no symbol's, where there is none. */
static uint32_t find_symbol(const struct cubin *c, const char *kernel, Elf64_Sym *out)
{
	for (size_t k = 0; elf_get_symbol(&c->elf, k, out); k++)
		if (ELF64_ST_TYPE(out->st_info) == STT_FUNC &&
		    strcmp(elf_symbol_name(&c->elf, out), kernel) == 0)
			return (uint32_t)k;
	return 0;
}

const char *cubin_next_kernel(const struct cubin *c, size_t *at)
{
	Elf64_Sym symbol;

	/* A kernel is global; functions behind it are not. */
	while (elf_get_symbol(&c->elf, (*at)++, &symbol))
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && symbol.st_shndx != SHN_UNDEF)
			return elf_symbol_name(&c->elf, &symbol);
	return NULL;
}

unsigned cubin_find_text(const struct cubin *c, const char *kernel)
{
	Elf64_Sym symbol;

	return find_symbol(c, kernel, &symbol) ? symbol.st_shndx : SHN_UNDEF;
}

struct elf_part cubin_find_code(const struct cubin *c, const char *kernel)
{
	const unsigned text = cubin_find_text(c, kernel);
	Elf64_Shdr section;

	if (text == SHN_UNDEF || !elf_get_section(&c->elf, text, &section))
		return (struct elf_part){NULL, 0};
	return elf_contents(&c->elf, &section);
}

/* ---- variables ---- */

bool cubin_next_global(const struct cubin *c, size_t *at, struct cubin_global *out)
{
	Elf64_Sym symbol;
	Elf64_Shdr section;

	while (elf_get_symbol(&c->elf, (*at)++, &symbol)) {
		if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    !elf_get_section(&c->elf, symbol.st_shndx, &section))
			continue;
		/* The section decides: .nv.constant and .nv.shared have variables, too. */
		const char *name = elf_section_name(&c->elf, &section);
		const bool zero = strcmp(name, ".nv.global") == 0;

		if ((!zero && strcmp(name, ".nv.global.init") != 0) || symbol.st_size == 0 ||
		    symbol.st_value > section.sh_size ||
		    symbol.st_size > section.sh_size - symbol.st_value)
			continue;
		*out = (struct cubin_global){.name = elf_symbol_name(&c->elf, &symbol),
					     .bytes = symbol.st_size,
					     .zero = zero};
		return true;
	}
	return false;
}

bool cubin_calls(const struct cubin *c, const char *function)
{
	Elf64_Sym symbol;

	for (size_t k = 0; elf_get_symbol(&c->elf, k, &symbol); k++)
		if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    strcmp(elf_symbol_name(&c->elf, &symbol), function) == 0)
			return true;
	return false;
}

/* ---- records ---- */

static uint32_t word(const struct elf_part *p, size_t number)
{
	uint32_t value = 0;

	if ((number + 1) * sizeof value <= p->n)
		memcpy(&value, p->data + number * sizeof value, sizeof value);
	return value;
}

bool cubin_next_record(const struct elf_part *info, size_t *at, struct cubin_record *out)
{
	const struct elf_part head = elf_cut(info, *at, 4);

	if (!head.data)
		return false;
	const bool follows = head.data[0] == FORMAT_BYTES;
	const size_t bytes = follows ? head.data[2] | (size_t)head.data[3] << 8 : 0;

	*out = (struct cubin_record){head.data, head.data[1], elf_cut(info, *at + 4, bytes)};
	*at += 4 + bytes;
	return out->words.data != NULL;
}

/* Marks the instructions that spill, as far as `list` goes, and returns their number; -1: nothing
 * is noted of the kernel's instructions. */
static int64_t mark_spills(const struct cubin *c, const char *kernel, struct code_instruction *list,
			   size_t n)
{
	char name[NAME_SIZE];
	struct cubin_record r;
	int64_t spills = -1;

	(void)snprintf(name, sizeof name, ".nv.info.%s", kernel);
	const struct elf_part info = cubin_find_section(c, name);

	for (size_t at = 0; cubin_next_record(&info, &at, &r);) {
		if (r.attribute != ATTRIBUTE_NOTES)
			continue;
		spills = spills < 0 ? 0 : spills;
		for (size_t k = 0; k + 1 < r.words.n / sizeof(uint32_t); k += 2) {
			const uint32_t i = word(&r.words, k + 1) / SASS_BYTES;

			if (word(&r.words, k) != NOTE_SPILL)
				continue;
			spills++;
			if (i < n)
				list[i].spill = true;
		}
	}
	return spills;
}

/* Finds the static shared memory of a kernel, as the driver counts it. */
static int64_t find_shared(const struct cubin *c, const char *kernel)
{
	char name[NAME_SIZE];
	Elf64_Shdr section, reserved;

	(void)snprintf(name, sizeof name, ".nv.shared.%s", kernel);
	if (!elf_find_section(&c->elf, name, &section) || section.sh_size > INT32_MAX)
		return 0;
	const int64_t bytes = (int64_t)section.sh_size;
	const bool has_reserve = elf_find_section(&c->elf, ".nv.shared.reserved.0", &reserved);

	return has_reserve && bytes >= RESERVED_BYTES ? bytes - RESERVED_BYTES : bytes;
}

/* ---- instructions ---- */

static void get_words(const struct elf_part *code, size_t i, uint64_t words[2])
{
	memcpy(words, code->data + i * SASS_BYTES, SASS_BYTES);
}

enum asc_status cubin_decode(const struct cubin *c, const char *kernel,
			     struct code_instruction **out, size_t *n, int64_t *jumps,
			     struct asc_err *e)
{
	const struct elf_part code = cubin_find_code(c, kernel);
	const size_t most = code.n / SASS_BYTES;
	struct sass_table *table = malloc(sizeof *table);
	struct code_step *steps = malloc((most + 1) * sizeof *steps);
	uint32_t *loop_of = malloc((most + 1) * sizeof *loop_of);
	uint64_t words[2];
	size_t n_loops;
	enum asc_status s = ASC_OK;

	*out = NULL;
	*n = 0;
	*jumps = 0;
	if (!table || !steps || !loop_of) {
		s = asc_err_nomem(e);
		goto out;
	}
	if (most == 0 || !sass_table_init(table, c->capability))
		goto out;
	for (size_t i = 0; i < most; i++) {
		get_words(&code, i, words);
		sass_follow(table, words, (int64_t)i, &steps[i]);
		*jumps += sass_is_indirect(sass_find(table, words));
	}
	s = code_loops_find(steps, most, loop_of, &n_loops, e);
	*out = s ? NULL : malloc(most * sizeof **out);
	if (s == ASC_OK && !*out)
		s = asc_err_nomem(e);
	for (size_t i = 0; i < most && s == ASC_OK; i++) {
		get_words(&code, i, words);
		(*out)[i] = (struct code_instruction){
			.loop = loop_of[i], .class = (uint8_t)sass_find(table, words)->class};
	}
	*n = s ? 0 : most;
	(void)mark_spills(c, kernel, *out, *n);
out:
	free(table);
	free(steps);
	free(loop_of);
	return s;
}

enum asc_status cubin_count(const struct cubin *c, const char *kernel, struct code_counts *out,
			    struct asc_err *e)
{
	Elf64_Sym symbol;
	struct cubin_record r;
	const uint32_t number = find_symbol(c, kernel, &symbol);
	const struct elf_part all = cubin_find_section(c, ".nv.info");
	struct code_instruction *list;
	size_t n;

	*out = (struct code_counts){.kind = CODE_GPU,
				    .capability = c->capability,
				    .registers = -1,
				    .loop_chained = -1,
				    .loop_memory = -1,
				    .loop_calls = -1,
				    .loop_rest = -1,
				    .width_bits = -1};
	if (number == 0 || !all.data)
		return asc_err_set(e, ASC_INPUT, "has no kernel %s", kernel);
	for (size_t at = 0; cubin_next_record(&all, &at, &r);) {
		if (word(&r.words, 0) != number || r.words.n < 2 * sizeof(uint32_t))
			continue;
		if (r.attribute == ATTRIBUTE_REGISTERS)
			out->registers = word(&r.words, 1);
		if (r.attribute == ATTRIBUTE_FRAME)
			out->stack_bytes = word(&r.words, 1);
	}
	if (out->registers < 0)
		return asc_err_set(e, ASC_INPUT, "says nothing of the registers of %s", kernel);
	out->shared_bytes = find_shared(c, kernel);
	out->bytes = (int64_t)cubin_find_code(c, kernel).n;
	if (cubin_decode(c, kernel, &list, &n, &out->jumps, e))
		return e->status;
	/* No list: the chip is of an unknown generation, and only registers and memory are told. */
	out->known = list != NULL;
	out->spills = mark_spills(c, kernel, NULL, 0);
	for (size_t i = 0; list && i < n; i++) {
		code_counts_add(out, &list[i]);
		out->loop_spills += list[i].spill && list[i].loop;
	}
	if (out->stack_bytes == 0) /* nowhere to spill to */
		out->spills = out->loop_spills = 0;
	if (out->spills < 0)
		out->loop_spills = -1;
	free(list);
	return ASC_OK;
}

/* ---- what else there is ---- */

enum asc_status cubin_print_ptx(const struct cubin *c, struct buf *out, struct asc_err *e)
{
	const struct elf_part p = cubin_find_section(c, ".nv_debug_ptx_txt");

	if (!p.data || p.n == 0)
		return asc_err_set(e, ASC_ABSENT, "has no PTX: it was compiled without -lineinfo");
	for (size_t i = 0; i < p.n;) {
		const char *line = (const char *)p.data + i;
		const size_t length = strnlen(line, p.n - i);

		buf_add(out, line, length);
		buf_add_char(out, '\n');
		i += length + 1;
	}
	return buf_check(out, e);
}
