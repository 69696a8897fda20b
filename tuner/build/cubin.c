/* A cubin is an ELF file of 64 bits, little-endian, machine 190. Facts of a kernel called NAME:
 *
 *     section .nv.info         records of all kernels; each names its kernel by the index of its
 *                              symbol
 *     section .nv.info.NAME    records of this kernel
 *     section .nv.shared.NAME  static shared memory, its size
 *     section .nv.shared.reserved.0  from compute capability 9.0 on: the size above has the memory
 *                              that the driver reserves in each block
 *
 * A record has a byte of format, a byte of attribute and 16 bits; with format 4 these are a number
 * of bytes that follow. The attributes were found by comparison with cuobjdump -res-usage and
 * nvdisasm 13.5 on 216 kernels of NVRTC 12.4 to 13.5. */
#include "tuner/build/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Part of the file; data NULL: there is none. */
struct part {
	const unsigned char *data;
	size_t n;
};

struct image {
	struct part file;
	Elf64_Ehdr head;
	struct part names; /* of sections */
};

static struct part cut(const struct part *p, uint64_t at, uint64_t n)
{
	if (!p->data || at > p->n || n > p->n - at)
		return (struct part){NULL, 0};
	return (struct part){p->data + at, (size_t)n};
}

/* Text at an offset of a table of strings; "" beyond its end or without one. */
static const char *text_at(const struct part *table, uint64_t at)
{
	if (!table->data || at >= table->n || !memchr(table->data + at, '\0', table->n - at))
		return "";
	return (const char *)table->data + at;
}

static bool get_section(const struct image *i, size_t number, Elf64_Shdr *out)
{
	const uint64_t at = (uint64_t)number * sizeof *out;
	const struct part table =
		cut(&i->file, i->head.e_shoff, (uint64_t)i->head.e_shnum * sizeof *out);
	const struct part one = cut(&table, at, sizeof *out);

	if (one.data)
		memcpy(out, one.data, sizeof *out);
	return one.data != NULL;
}

static struct part contents(const struct image *i, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS ? (struct part){NULL, 0}
					: cut(&i->file, s->sh_offset, s->sh_size);
}

static bool find_section(const struct image *i, const char *name, Elf64_Shdr *out)
{
	for (size_t k = 0; k < i->head.e_shnum && get_section(i, k, out); k++)
		if (strcmp(text_at(&i->names, out->sh_name), name) == 0)
			return true;
	return false;
}

static bool open_image(struct image *i, const void *data, size_t n)
{
	Elf64_Shdr names;

	*i = (struct image){.file = {data, n}};
	if (n < sizeof i->head)
		return false;
	memcpy(&i->head, data, sizeof i->head);
	if (memcmp(i->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    i->head.e_ident[EI_CLASS] != ELFCLASS64 || i->head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    i->head.e_machine != MACHINE_CUDA || i->head.e_shentsize != sizeof names ||
	    !get_section(i, i->head.e_shstrndx, &names))
		return false;
	i->names = contents(i, &names);
	return i->names.data != NULL;
}

/* Finds the number of a kernel's symbol; 0, which is no symbol's, where there is none. */
static uint32_t find_symbol(const struct image *i, const char *kernel)
{
	Elf64_Shdr section, strings;
	Elf64_Sym symbol;

	if (!find_section(i, ".symtab", &section) || !get_section(i, section.sh_link, &strings))
		return 0;
	const struct part table = contents(i, &section), names = contents(i, &strings);

	for (size_t k = 0; (k + 1) * sizeof symbol <= table.n; k++) {
		memcpy(&symbol, table.data + k * sizeof symbol, sizeof symbol);
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    strcmp(text_at(&names, symbol.st_name), kernel) == 0)
			return (uint32_t)k;
	}
	return 0;
}

struct record {
	unsigned attribute;
	struct part words; /* FORMAT_BYTES, else empty */
};

static uint32_t word(const struct part *p, size_t number)
{
	uint32_t value = 0;

	if ((number + 1) * sizeof value <= p->n)
		memcpy(&value, p->data + number * sizeof value, sizeof value);
	return value;
}

/* Reads the record at *at, which is advanced; false at the end, and for one that is cut off. */
static bool next_record(const struct part *info, size_t *at, struct record *out)
{
	const struct part head = cut(info, *at, 4);

	if (!head.data)
		return false;
	const bool follows = head.data[0] == FORMAT_BYTES;
	const size_t bytes = follows ? head.data[2] | (size_t)head.data[3] << 8 : 0;

	*out = (struct record){head.data[1], cut(info, *at + 4, bytes)};
	*at += 4 + bytes;
	return out->words.data != NULL;
}

/* Counts the instructions that spill; -1: nothing is noted of the kernel's instructions. */
static int64_t count_spills(const struct part *info)
{
	int64_t n = -1;
	struct record r;

	for (size_t at = 0; next_record(info, &at, &r);) {
		if (r.attribute != ATTRIBUTE_NOTES)
			continue;
		n = n < 0 ? 0 : n;
		for (size_t k = 0; k + 1 < r.words.n / sizeof(uint32_t); k += 2)
			n += word(&r.words, k) == NOTE_SPILL;
	}
	return n;
}

/* Finds the static shared memory of a kernel, as the driver counts it. */
static int64_t find_shared(const struct image *i, const char *kernel)
{
	char name[NAME_SIZE];
	Elf64_Shdr section, reserved;

	(void)snprintf(name, sizeof name, ".nv.shared.%s", kernel);
	if (!find_section(i, name, &section) || section.sh_size > INT32_MAX)
		return 0;
	const int64_t bytes = (int64_t)section.sh_size;
	const bool has_reserve = find_section(i, ".nv.shared.reserved.0", &reserved);

	return has_reserve && bytes >= RESERVED_BYTES ? bytes - RESERVED_BYTES : bytes;
}

enum asc_status cubin_read(const void *data, size_t n, const char *kernel, struct cubin_kernel *out,
			   struct asc_err *e)
{
	char name[NAME_SIZE];
	struct image image;
	Elf64_Shdr section;
	struct record r;

	*out = (struct cubin_kernel){.spills = -1};
	if (!open_image(&image, data, n))
		return asc_err_set(e, ASC_INPUT, "is no cubin");
	const uint32_t symbol = find_symbol(&image, kernel);

	if (symbol == 0 || !find_section(&image, ".nv.info", &section))
		return asc_err_set(e, ASC_INPUT, "has no kernel %s", kernel);
	const struct part all = contents(&image, &section);
	bool known = false;

	for (size_t at = 0; next_record(&all, &at, &r);) {
		if (word(&r.words, 0) != symbol || r.words.n < 2 * sizeof(uint32_t))
			continue;
		if (r.attribute == ATTRIBUTE_REGISTERS)
			out->registers = word(&r.words, 1);
		if (r.attribute == ATTRIBUTE_FRAME)
			out->local_bytes = word(&r.words, 1);
		known = known || r.attribute == ATTRIBUTE_REGISTERS;
	}
	if (!known)
		return asc_err_set(e, ASC_INPUT, "says nothing of the registers of %s", kernel);
	out->shared_bytes = find_shared(&image, kernel);
	(void)snprintf(name, sizeof name, ".nv.info.%s", kernel);
	if (find_section(&image, name, &section)) {
		const struct part own = contents(&image, &section);

		out->spills = count_spills(&own);
	}
	if (out->local_bytes == 0) /* nowhere to spill to */
		out->spills = 0;
	return ASC_OK;
}
