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
	MACHINE_CUDA = 190,
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

static struct cubin_part cut(const struct cubin_part *p, uint64_t at, uint64_t n)
{
	if (!p->data || at > p->n || n > p->n - at)
		return (struct cubin_part){NULL, 0};
	return (struct cubin_part){p->data + at, (size_t)n};
}

/* Text at an offset of a table of strings, which ends with a NUL; "" beyond its end. */
static const char *text_at(const struct cubin_part *table, uint64_t at)
{
	return at < table->n ? (const char *)table->data + at : "";
}

static bool get_section(const struct cubin *c, size_t number, Elf64_Shdr *out)
{
	const uint64_t at = (uint64_t)number * sizeof *out;
	const struct cubin_part table =
		cut(&c->file, c->head.e_shoff, (uint64_t)c->head.e_shnum * sizeof *out);
	const struct cubin_part one = cut(&table, at, sizeof *out);

	*out = (Elf64_Shdr){0};
	if (!one.data)
		return false;
	memcpy(out, one.data, sizeof *out);
	return true;
}

static struct cubin_part contents(const struct cubin *c, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS ? (struct cubin_part){NULL, 0}
					: cut(&c->file, s->sh_offset, s->sh_size);
}

/* Contents of a table of strings; empty unless it ends with a NUL, so that no text runs past it. */
static struct cubin_part get_strings(const struct cubin *c, size_t number)
{
	Elf64_Shdr section;
	struct cubin_part p = {NULL, 0};

	if (get_section(c, number, &section))
		p = contents(c, &section);
	return p.n > 0 && p.data[p.n - 1] == '\0' ? p : (struct cubin_part){NULL, 0};
}

static bool find_section(const struct cubin *c, const char *name, Elf64_Shdr *out)
{
	for (size_t k = 0; k < c->head.e_shnum && get_section(c, k, out); k++)
		if (strcmp(text_at(&c->names, out->sh_name), name) == 0)
			return true;
	return false;
}

struct cubin_part cubin_find_section(const struct cubin *c, const char *name)
{
	Elf64_Shdr section;

	return find_section(c, name, &section) ? contents(c, &section)
					       : (struct cubin_part){NULL, 0};
}

bool cubin_is_one(const void *data, size_t n)
{
	Elf64_Ehdr head;

	if (n < sizeof head)
		return false;
	memcpy(&head, data, sizeof head);
	return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_machine == MACHINE_CUDA;
}

enum asc_status cubin_open(const void *data, size_t n, struct cubin *out, struct asc_err *e)
{
	Elf64_Shdr symbols;

	*out = (struct cubin){.file = {data, n}};
	if (!cubin_is_one(data, n))
		return asc_err_set(e, ASC_INPUT, "is no cubin");
	memcpy(&out->head, data, sizeof out->head);
	/* Version 8 of the format, by compilers since 13.0 and for newer chips, has the capability
	 * one byte higher. */
	out->capability =
		(int)(out->head.e_ident[EI_ABIVERSION] >= 8 ? out->head.e_flags >> 8 & 0xffff
							    : out->head.e_flags & 0xff);
	if (out->head.e_shentsize == sizeof symbols)
		out->names = get_strings(out, out->head.e_shstrndx);
	if (!out->names.data)
		return asc_err_set(e, ASC_INPUT, "is a cubin that is cut off or spoilt");
	if (find_section(out, ".symtab", &symbols)) {
		out->symbols = contents(out, &symbols);
		out->strings = get_strings(out, symbols.sh_link);
	}
	return ASC_OK;
}

/* ---- kernels ---- */

static bool get_symbol(const struct cubin *c, size_t number, Elf64_Sym *out)
{
	const struct cubin_part one = cut(&c->symbols, (uint64_t)number * sizeof *out, sizeof *out);

	if (one.data)
		memcpy(out, one.data, sizeof *out);
	return one.data != NULL;
}

/* Finds the number of a kernel's symbol; 0, which is no symbol's, where there is none. */
static uint32_t find_symbol(const struct cubin *c, const char *kernel, Elf64_Sym *out)
{
	for (size_t k = 0; get_symbol(c, k, out); k++)
		if (ELF64_ST_TYPE(out->st_info) == STT_FUNC &&
		    strcmp(text_at(&c->strings, out->st_name), kernel) == 0)
			return (uint32_t)k;
	return 0;
}

const char *cubin_next_kernel(const struct cubin *c, size_t *at)
{
	Elf64_Sym symbol;

	/* A kernel is global; functions behind it are not. */
	while (get_symbol(c, (*at)++, &symbol))
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && symbol.st_shndx != SHN_UNDEF)
			return text_at(&c->strings, symbol.st_name);
	return NULL;
}

unsigned cubin_find_text(const struct cubin *c, const char *kernel)
{
	Elf64_Sym symbol;

	return find_symbol(c, kernel, &symbol) ? symbol.st_shndx : SHN_UNDEF;
}

struct cubin_part cubin_find_code(const struct cubin *c, const char *kernel)
{
	const unsigned text = cubin_find_text(c, kernel);
	Elf64_Shdr section;

	if (text == SHN_UNDEF || !get_section(c, text, &section))
		return (struct cubin_part){NULL, 0};
	return contents(c, &section);
}

/* ---- variables ---- */

bool cubin_next_global(const struct cubin *c, size_t *at, struct cubin_global *out)
{
	Elf64_Sym symbol;
	Elf64_Shdr section;

	while (get_symbol(c, (*at)++, &symbol)) {
		if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    !get_section(c, symbol.st_shndx, &section))
			continue;
		/* The section decides: .nv.constant and .nv.shared have variables, too. */
		const char *name = text_at(&c->names, section.sh_name);
		const bool zero = strcmp(name, ".nv.global") == 0;

		if ((!zero && strcmp(name, ".nv.global.init") != 0) || symbol.st_size == 0 ||
		    symbol.st_value > section.sh_size ||
		    symbol.st_size > section.sh_size - symbol.st_value)
			continue;
		*out = (struct cubin_global){.name = text_at(&c->strings, symbol.st_name),
					     .section = symbol.st_shndx,
					     .at = symbol.st_value,
					     .bytes = symbol.st_size,
					     .zero = zero};
		return true;
	}
	return false;
}

bool cubin_calls(const struct cubin *c, const char *function)
{
	Elf64_Sym symbol;

	for (size_t k = 0; get_symbol(c, k, &symbol); k++)
		if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    strcmp(text_at(&c->strings, symbol.st_name), function) == 0)
			return true;
	return false;
}

/* ---- records ---- */

struct record {
	unsigned attribute;
	struct cubin_part words; /* FORMAT_BYTES, else empty */
};

static uint32_t word(const struct cubin_part *p, size_t number)
{
	uint32_t value = 0;

	if ((number + 1) * sizeof value <= p->n)
		memcpy(&value, p->data + number * sizeof value, sizeof value);
	return value;
}

/* Reads the record at *at, which is advanced; false at the end, and for one that is cut off. */
static bool next_record(const struct cubin_part *info, size_t *at, struct record *out)
{
	const struct cubin_part head = cut(info, *at, 4);

	if (!head.data)
		return false;
	const bool follows = head.data[0] == FORMAT_BYTES;
	const size_t bytes = follows ? head.data[2] | (size_t)head.data[3] << 8 : 0;

	*out = (struct record){head.data[1], cut(info, *at + 4, bytes)};
	*at += 4 + bytes;
	return out->words.data != NULL;
}

/* Marks the instructions that spill, as far as `list` goes, and returns their number; -1: nothing
 * is noted of the kernel's instructions. */
static int64_t mark_spills(const struct cubin *c, const char *kernel, struct code_instruction *list,
			   size_t n)
{
	char name[NAME_SIZE];
	struct record r;
	int64_t spills = -1;

	(void)snprintf(name, sizeof name, ".nv.info.%s", kernel);
	const struct cubin_part info = cubin_find_section(c, name);

	for (size_t at = 0; next_record(&info, &at, &r);) {
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
	if (!find_section(c, name, &section) || section.sh_size > INT32_MAX)
		return 0;
	const int64_t bytes = (int64_t)section.sh_size;
	const bool has_reserve = find_section(c, ".nv.shared.reserved.0", &reserved);

	return has_reserve && bytes >= RESERVED_BYTES ? bytes - RESERVED_BYTES : bytes;
}

/* ---- instructions ---- */

static void get_words(const struct cubin_part *code, size_t i, uint64_t words[2])
{
	memcpy(words, code->data + i * SASS_BYTES, SASS_BYTES);
}

enum asc_status cubin_decode(const struct cubin *c, const char *kernel,
			     struct code_instruction **out, size_t *n, int64_t *jumps,
			     struct asc_err *e)
{
	const struct cubin_part code = cubin_find_code(c, kernel);
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
	struct record r;
	const uint32_t number = find_symbol(c, kernel, &symbol);
	const struct cubin_part all = cubin_find_section(c, ".nv.info");
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
	for (size_t at = 0; next_record(&all, &at, &r);) {
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
	const struct cubin_part p = cubin_find_section(c, ".nv_debug_ptx_txt");

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

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum asc_status cubin_digest(const struct cubin *c, char out[HASH_TEXT_SIZE], struct asc_err *e)
{
	/* Names of what is loaded. Records (.nv.info) name symbols by their numbers, which those of
	 * debuggers' sections shift: of these the numbers of registers alone are kept. */
	static const char *const kept[] = {".text.", ".nv.constant", ".nv.global", ".nv.shared."};
	const struct cubin_part info = cubin_find_section(c, ".nv.info");
	struct hash h;
	struct record r;
	Elf64_Shdr section;

	hash_init(&h);
	hash_add(&h, &c->capability, sizeof c->capability);
	for (size_t k = 0; k < c->head.e_shnum && get_section(c, k, &section); k++) {
		const char *name = text_at(&c->names, section.sh_name);
		const struct cubin_part p = contents(c, &section);

		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
			if (!begins(name, kept[i]))
				continue;
			hash_add_str(&h, name);
			hash_add(&h, &section.sh_size, sizeof section.sh_size);
			hash_add(&h, p.data ? (const void *)p.data : "", p.n);
			break;
		}
	}
	for (size_t at = 0; next_record(&info, &at, &r);) {
		const uint32_t registers = word(&r.words, 1);

		if (r.attribute == ATTRIBUTE_REGISTERS)
			hash_add(&h, &registers, sizeof registers);
	}
	return hash_end(&h, out, e);
}
