/* Cubins made here, byte by byte, and the same cut off or spoilt. Real ones are held against the
 * driver by tests/device/build.t.
 * covers: cubin.c */
#include "tuner/build/cubin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

/* Two kernels, `plain` and `spills`, as ptxas lays them out: the names of sections and symbols, the
 * symbols, the records of all kernels, the records of one, static shared memory. */
enum { NAMES, SYMBOL_NAMES, SYMBOLS, INFO, INFO_SPILLS, SHARED, RESERVED, SECTIONS };

static const char names[] =
	"\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.nv.info.spills\0.nv.shared.plain"
	"\0.nv.shared.reserved.0";
static const char symbol_names[] = "\0plain\0spills";

static uint32_t name_of(const char *table, size_t n, const char *name)
{
	for (size_t at = 0; at < n; at += strlen(table + at) + 1)
		if (strcmp(table + at, name) == 0)
			return (uint32_t)at;
	abort();
}

static void add_words(struct buf *out, size_t n, const uint32_t *words)
{
	buf_add(out, words, n * sizeof *words);
}

/* A record of format 4: attribute and words. */
static void add_record(struct buf *out, unsigned char attribute, uint16_t n, const uint32_t *words)
{
	const unsigned char head[] = {4, attribute, (unsigned char)(4 * n),
				      (unsigned char)(n >> 6)};

	buf_add(out, head, sizeof head);
	add_words(out, n, words);
}

static void add_symbols(struct buf *out)
{
	const Elf64_Sym list[] = {{0},
				  /* A section has its kernel's name nowhere; a variable may. */
				  {.st_name = name_of(symbol_names, sizeof symbol_names, "spills"),
				   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)},
				  {.st_name = name_of(symbol_names, sizeof symbol_names, "plain"),
				   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)},
				  {.st_name = name_of(symbol_names, sizeof symbol_names, "spills"),
				   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)}};

	buf_add(out, list, sizeof list);
}

static void add_info(struct buf *out)
{
	/* Format 1 has no words behind it; kernels come in any order. */
	const unsigned char short_one[] = {1, 0x37, 0, 0};

	add_record(out, 0x2f, 2, (uint32_t[]){3, 40});
	buf_add(out, short_one, sizeof short_one);
	add_record(out, 0x11, 2, (uint32_t[]){3, 24});
	add_record(out, 0x11, 2, (uint32_t[]){2, 0});
	add_record(out, 0x2f, 2, (uint32_t[]){2, 12});
}

static void add_info_spills(struct buf *out, bool noted)
{
	add_record(out, 0x05, 3, (uint32_t[]){256, 1, 1});
	/* Two instructions that spill, one note of another kind. */
	if (noted)
		add_record(out, 0x55, 6, (uint32_t[]){1, 0x40, 2, 0x60, 1, 0x90});
}

/* Makes the file: a head, the contents of the sections, their table. `recent`: of compute
 * capability 9.0, by a compiler that notes which instructions spill. */
static void make(struct buf *out, bool recent)
{
	static const char *const sections[SECTIONS] = {".shstrtab",
						       ".strtab",
						       ".symtab",
						       ".nv.info",
						       ".nv.info.spills",
						       ".nv.shared.plain",
						       ".nv.shared.reserved.0"};
	struct buf contents[SECTIONS] = {{0}};
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = 190,
			   .e_ehsize = sizeof head,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = SECTIONS + 1,
			   .e_shstrndx = NAMES + 1};
	Elf64_Shdr table[SECTIONS + 1] = {{0}};
	uint64_t at = sizeof head;

	buf_add(&contents[NAMES], names, sizeof names);
	buf_add(&contents[SYMBOL_NAMES], symbol_names, sizeof symbol_names);
	add_symbols(&contents[SYMBOLS]);
	add_info(&contents[INFO]);
	add_info_spills(&contents[INFO_SPILLS], recent);
	for (size_t i = 0; i < SECTIONS; i++) {
		table[i + 1] = (Elf64_Shdr){.sh_name = name_of(names, sizeof names, sections[i]),
					    .sh_type = SHT_PROGBITS,
					    .sh_offset = at,
					    .sh_size = contents[i].len};
		at += contents[i].len;
	}
	table[SYMBOLS + 1].sh_link = SYMBOL_NAMES + 1;
	table[SHARED + 1].sh_type = SHT_NOBITS;
	table[SHARED + 1].sh_size = 3072;
	table[RESERVED + 1].sh_type = SHT_NOBITS;
	if (!recent) /* no section has that name */
		table[RESERVED + 1].sh_name = 0;
	head.e_shoff = at;
	buf_add(out, &head, sizeof head);
	for (size_t i = 0; i < SECTIONS; i++) {
		buf_add(out, buf_str(&contents[i]), contents[i].len);
		buf_fini(&contents[i]);
	}
	buf_add(out, table, sizeof table);
}

static void test_facts(void)
{
	struct buf cubin = {0};
	struct cubin_kernel k;
	struct asc_err e;

	make(&cubin, true);
	tap_int(cubin_read(cubin.data, cubin.len, "plain", &k, &e), ASC_OK, "a kernel is read");
	tap_int(k.registers, 12, "its registers");
	tap_int(k.local_bytes, 0, "it has no stack");
	tap_int(k.spills, 0, "so it spills nothing");
	tap_int(k.shared_bytes, 2048, "its static shared memory, without what the driver reserves");
	tap_int(cubin_read(cubin.data, cubin.len, "spills", &k, &e), ASC_OK, "another one is");
	tap_int(k.registers, 40, "registers of the other");
	tap_int(k.local_bytes, 24, "its stack");
	tap_int(k.spills, 2, "its instructions that spill");
	tap_int(k.shared_bytes, 0, "it has no shared memory");
	tap_int(cubin_read(cubin.data, cubin.len, "plai", &k, &e), ASC_INPUT,
		"a name that no kernel has");
	tap_str(e.text, "has no kernel plai", "is said");
	buf_clear(&cubin);
	make(&cubin, false);
	tap_int(cubin_read(cubin.data, cubin.len, "spills", &k, &e), ASC_OK,
		"a compiler that notes no instructions");
	tap_int(k.spills, -1, "does not say what is spilled");
	tap_int(cubin_read(cubin.data, cubin.len, "plain", &k, &e), ASC_OK, "an older capability");
	tap_int(k.shared_bytes, 3072, "reserves nothing in that section");
	buf_fini(&cubin);
}

/* Counts how the file is read when it ends at each byte, or when each of its bytes is another one:
 * nothing beyond its end is touched, which ci/sanitize holds. */
static void test_spoilt(void)
{
	struct buf cubin = {0};
	struct cubin_kernel k;
	struct asc_err e;
	size_t whole = 0, changed = 0;

	make(&cubin, true);
	for (size_t n = 0; n < cubin.len; n++) {
		char *part = malloc(n + 1);

		if (!part)
			break;
		memcpy(part, cubin.data, n);
		whole += cubin_read(part, n, "spills", &k, &e) == ASC_OK;
		free(part);
	}
	tap_int(whole, 0, "a file without its end is refused");
	for (size_t i = 0; i < cubin.len; i++) {
		const char kept = cubin.data[i];

		cubin.data[i] = (char)0xff;
		const enum asc_status s = cubin_read(cubin.data, cubin.len, "spills", &k, &e);

		changed += s != ASC_OK && s != ASC_INPUT;
		cubin.data[i] = kept;
	}
	tap_int(changed, 0, "a file with another byte is read or refused");
	tap_int(cubin_read("int main(void);", 15, "main", &k, &e), ASC_INPUT, "a text");
	tap_str(e.text, "is no cubin", "is none");
	cubin.data[offsetof(Elf64_Ehdr, e_machine)] = 62;
	tap_int(cubin_read(cubin.data, cubin.len, "plain", &k, &e), ASC_INPUT,
		"code of another machine is refused");
	buf_fini(&cubin);
}

int main(void)
{
	test_facts();
	test_spoilt();
	return tap_done();
}
