/* Cubins made here, byte by byte, and the same cut off or spoilt. Real ones are held against the
 * driver by tests/device/build.t.
 * covers: cubin_code.c code_counts.c sass.c */
#include "tuner/code/cubin_code.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

/* Two kernels, `plain` and `spills`, as ptxas lays them out: the names of sections and symbols, the
 * symbols, the records of all kernels, the records of one, static shared memory, the instructions
 * of the one that spills, PTX, and what is for debuggers alone. */
enum {
	NAMES,
	SYMBOL_NAMES,
	SYMBOLS,
	INFO,
	INFO_SPILLS,
	SHARED,
	RESERVED,
	TEXT,
	GLOBAL,
	GLOBAL_INIT,
	CONSTANT,
	PTX,
	LINES,
	SECTIONS
};

static const char names[] =
	"\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.nv.info.spills\0.nv.shared.plain"
	"\0.nv.shared.reserved.0\0.text.spills\0.nv.global\0.nv.global.init\0.nv.constant3\0.nv_"
	"debug_ptx_txt\0.debug_line";
static const char symbol_names[] = "\0plain\0spills\0counter\0table\0preset\0malloc\0beyond";

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

static Elf64_Sym variable(const char *name, int section, uint64_t at, uint64_t bytes)
{
	return (Elf64_Sym){.st_name = name_of(symbol_names, sizeof symbol_names, name),
			   .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
			   .st_shndx = (uint16_t)(section + 1),
			   .st_value = at,
			   .st_size = bytes};
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
				   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				   .st_shndx = TEXT + 1},
				  variable("counter", GLOBAL, 4000, 4),
				  variable("table", GLOBAL, 0, 4000),
				  variable("preset", GLOBAL_INIT, 8, 4),
				  variable("table", CONSTANT, 0, 16),
				  variable("beyond", GLOBAL, 4000, 12),
				  variable("beyond", GLOBAL, UINT64_MAX, 2),
				  variable("counter", GLOBAL, 0, 0),
				  {.st_name = name_of(symbol_names, sizeof symbol_names, "malloc"),
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
	/* Two instructions that spill, one of them in the loop, and one note of another kind. */
	if (noted)
		add_record(out, 0x55, 6, (uint32_t[]){1, 0x10, 2, 0x60, 1, 0x40});
}

/* Instructions of capability 9.0 as nvdisasm 13.5 writes them. */
static void add_code(struct buf *out)
{
	static const uint64_t code[][2] = {
		{0x00000a00ff017b82, 0x000ff00000000800},  /* 00 LDC R1, c[0x0][0x28] */
		{0x0000000601007387, 0x0003e80000100800},  /* 10 STL [R1], R6 */
		{0x0000000403027981, 0x000ea8000c1e1900},  /* 20 LDG.E R2, [R3.64] */
		{0x0000000402057223, 0x004fca0000000005},  /* 30 FFMA R5, R2, R4, R5 */
		{0x0000000001067983, 0x000ea80000100800},  /* 40 LDL R6, [R1] */
		{0xfffffffc00f08947, 0x000fea000383ffff},  /* 50 @!P0 BRA 0x20 */
		{0x0000000000000fff, 0x0000000000000000},  /* 60 none that is known */
		{0x000000000000794d, 0x000fea0003800000},  /* 70 EXIT */
		{0xfffffffc00fc7947, 0x000fc0000383ffff},  /* 80 BRA 0x80 */
		{0x0000000000007918, 0x000fc00000000000}}; /* 90 NOP */

	buf_add(out, code, sizeof code);
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
						       ".nv.shared.reserved.0",
						       ".text.spills",
						       ".nv.global",
						       ".nv.global.init",
						       ".nv.constant3",
						       ".nv_debug_ptx_txt",
						       ".debug_line"};
	struct buf contents[SECTIONS] = {{0}};
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = 190,
			   .e_flags = recent ? 0x0a005a04 : 0x004b054b,
			   .e_ehsize = sizeof head,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = SECTIONS + 1,
			   .e_shstrndx = NAMES + 1};
	Elf64_Shdr table[SECTIONS + 1] = {{0}};
	uint64_t at = sizeof head;

	/* The version of the format, by which the capability lies elsewhere. */
	head.e_ident[EI_ABIVERSION] = recent ? 8 : 7;
	buf_add(&contents[NAMES], names, sizeof names);
	buf_add(&contents[SYMBOL_NAMES], symbol_names, sizeof symbol_names);
	add_symbols(&contents[SYMBOLS]);
	add_info(&contents[INFO]);
	add_info_spills(&contents[INFO_SPILLS], recent);
	add_code(&contents[TEXT]);
	buf_add(&contents[GLOBAL_INIT], "12345678\7\0\0", 12);
	buf_add(&contents[CONSTANT], "123456781234567", 16);
	buf_add(&contents[PTX], ".version 9.0\0.target sm_90a", 28);
	buf_add_str(&contents[LINES], recent ? "of one folder" : "of another one");
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
	table[GLOBAL + 1].sh_type = SHT_NOBITS;
	table[GLOBAL + 1].sh_size = 4008;
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

static enum asc_status count(const struct buf *file, const char *kernel, struct code_counts *out,
			     struct asc_err *e)
{
	struct cubin c;

	return cubin_open(file->data, file->len, &c, e) ? e->status
							: cubin_count(&c, kernel, out, e);
}

static void test_facts(void)
{
	struct buf file = {0};
	struct cubin c;
	struct code_counts k;
	struct asc_err e;
	size_t at = 0;

	make(&file, true);
	tap_int(cubin_open(file.data, file.len, &c, &e), ASC_OK, "a cubin is opened");
	tap_int(c.capability, 90, "its capability");
	tap_str(cubin_next_kernel(&c, &at), "spills", "its kernel that has code");
	tap_ok(!cubin_next_kernel(&c, &at), "one without code is none");
	tap_int(count(&file, "plain", &k, &e), ASC_OK, "a kernel is read");
	tap_int(k.registers, 12, "its registers");
	tap_int(k.stack_bytes, 0, "it has no stack");
	tap_int(k.spills, 0, "so it spills nothing");
	tap_int(k.shared_bytes, 2048, "its static shared memory, without what the driver reserves");
	tap_ok(!k.known, "of one without code no instructions are known");
	tap_int(count(&file, "spills", &k, &e), ASC_OK, "another one is");
	tap_int(k.registers, 40, "registers of the other");
	tap_int(k.stack_bytes, 24, "its stack");
	tap_int(k.spills, 2, "its instructions that spill");
	tap_int(k.loop_spills, 1, "those in its loop");
	tap_int(k.shared_bytes, 0, "it has no shared memory");
	tap_int(count(&file, "plai", &k, &e), ASC_INPUT, "a name that no kernel has");
	tap_str(e.text, "has no kernel plai", "is said");
	buf_clear(&file);
	make(&file, false);
	tap_int(count(&file, "spills", &k, &e), ASC_OK, "a compiler that notes no instructions");
	tap_int(k.capability, 75, "an older version of the format has the capability elsewhere");
	tap_int(k.spills, -1, "does not say what is spilled");
	tap_int(count(&file, "plain", &k, &e), ASC_OK, "an older capability");
	tap_int(k.shared_bytes, 3072, "reserves nothing in that section");
	buf_fini(&file);
}

static void test_instructions(void)
{
	struct buf file = {0}, figures = {0};
	struct code_counts k;
	struct code_figure f;
	struct asc_err e;

	make(&file, true);
	tap_int(count(&file, "spills", &k, &e), ASC_OK, "instructions are counted");
	for (size_t at = 0; code_counts_next(&k, &at, &f);)
		if (f.value)
			buf_print(&figures, "%s=%lld ", f.name, (long long)f.value);
	tap_str(buf_str(&figures),
		"code_registers=40 code_stack=24 code_bytes=160 code_spills=2 code_instructions=10 "
		"code_loops=1 "
		"loop_instructions=4 loop_spills=1 code_f32=1 loop_f32=1 code_global=1 "
		"loop_global=1 code_local=2 loop_local=1 code_constant=1 code_control=3 "
		"loop_control=1 code_none=1 code_unknown=1 ",
		"by class, in all and in the loop: what jumps to itself is none");
	((Elf64_Ehdr *)(void *)file.data)->e_flags = 0x0a000d02 + (117 << 8);
	tap_int(count(&file, "spills", &k, &e), ASC_OK, "of a chip that nobody knows");
	tap_int(k.capability, 130, "its capability is told");
	tap_int(k.registers, 40, "and its registers are");
	tap_ok(!k.known, "its instructions are not counted");
	buf_fini(&file);
	buf_fini(&figures);
}

static void test_globals(void)
{
	static const struct cubin_global wanted[] = {
		{"counter", 4, true}, {"table", 4000, true}, {"preset", 4, false}};
	struct buf file = {0};
	struct cubin c;
	struct cubin_global g;
	struct asc_err e;
	size_t at = 0;

	make(&file, true);
	(void)cubin_open(file.data, file.len, &c, &e);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct cubin_global *w = &wanted[i];

		tap_ok(cubin_next_global(&c, &at, &g) && strcmp(g.name, w->name) == 0 &&
			       g.bytes == w->bytes && g.zero == w->zero,
		       "a variable that kernels may write: %s", w->name);
	}
	tap_ok(!cubin_next_global(&c, &at, &g),
	       "constants, and what lies beyond its section, are none");
	tap_ok(cubin_calls(&c, "malloc"), "a function of the driver is called");
	tap_ok(!cubin_calls(&c, "spills") && !cubin_calls(&c, "free"), "others are not");
	buf_fini(&file);
}

static void test_ptx(void)
{
	struct buf file = {0}, ptx = {0};
	struct cubin c;
	struct asc_err e;

	make(&file, true);
	tap_int(cubin_open(file.data, file.len, &c, &e), ASC_OK, "a cubin with PTX");
	tap_int(cubin_print_ptx(&c, &ptx, &e), ASC_OK, "gives it");
	tap_str(buf_str(&ptx), ".version 9.0\n.target sm_90a\n", "line by line");
	buf_fini(&file);
	buf_fini(&ptx);
}

/* Counts how the file is read when it ends at each byte, or when each of its bytes is another one:
 * nothing beyond its end is touched, which ci/sanitize holds. */
static void test_spoilt(void)
{
	struct buf cubin = {0};
	struct code_counts k;
	struct asc_err e;
	struct cubin c;
	size_t whole = 0, changed = 0;

	make(&cubin, true);
	for (size_t n = 0; n < cubin.len; n++) {
		char *part = malloc(n + 1);

		if (!part)
			break;
		memcpy(part, cubin.data, n);
		const struct buf cut = {part, n, n, false};

		whole += count(&cut, "spills", &k, &e) == ASC_OK;
		free(part);
	}
	tap_int(whole, 0, "a file without its end is refused");
	for (size_t i = 0; i < cubin.len; i++) {
		const char kept = cubin.data[i];

		cubin.data[i] = (char)0xff;
		const enum asc_status s = count(&cubin, "spills", &k, &e);

		changed += s != ASC_OK && s != ASC_INPUT;
		cubin.data[i] = kept;
	}
	tap_int(changed, 0, "a file with another byte is read or refused");
	tap_int(cubin_open("int main(void);", 15, &c, &e), ASC_INPUT, "a text");
	tap_str(e.text, "is no cubin", "is none");
	cubin.data[offsetof(Elf64_Ehdr, e_machine)] = 62;
	tap_int(cubin_open(cubin.data, cubin.len, &c, &e), ASC_INPUT,
		"code of another machine is refused");
	buf_fini(&cubin);
}

int main(void)
{
	test_facts();
	test_instructions();
	test_globals();
	test_ptx();
	test_spoilt();
	return tap_done();
}
