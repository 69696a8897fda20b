/* Section .debug_line holds programs of DWARF 2 and 3 (DWARF Debugging Information Format, version
 * 3, section 6.2): each makes rows of address and line. Addresses are relative to the section that
 * a relocation names: .rela.debug_line or .rel.debug_line, by the symbol of its kernel. */
#include "tuner/code/cubin_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/code/cubin_code.h"

enum { /* standard opcodes, then extended ones */
       LINE_COPY = 1,
       LINE_ADVANCE_PC,
       LINE_ADVANCE_LINE,
       LINE_SET_FILE,
       LINE_CONST_ADD_PC = 8,
       LINE_FIXED_ADVANCE_PC,
       LINE_END_SEQUENCE = 1,
       LINE_SET_ADDRESS
};

enum {
	MAX_FILES = 4096,
	MAX_SEQUENCES =
		4096 /* of addresses, one for each function: relocations are searched for each */
};

/* Reads bytes up to an end; what lies beyond reads as 0, and is remembered. */
struct reader {
	const unsigned char *at, *end;
	bool over;
};

struct unit {
	const char *folders[MAX_FILES], *files[MAX_FILES];
	size_t n_folders, n_files;
	uint32_t folder_of[MAX_FILES];
	unsigned least_length, line_range, opcode_base;
	int line_base;
	unsigned char operands[256]; /* of standard opcodes */
};

static uint64_t read_number(struct reader *r, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > sizeof value || (size_t)(r->end - r->at) < bytes) {
		r->over = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, bytes);
	r->at += bytes;
	return value;
}

/* Reads a number in parts of seven bits; `is_signed`: its highest bit is its sign. */
static int64_t read_leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)read_number(r, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

/* Reads a text; "" where it has no end. */
static const char *read_text(struct reader *r)
{
	const unsigned char *begin = r->at, *end = memchr(begin, '\0', (size_t)(r->end - begin));

	if (!end) {
		r->over = true;
		r->at = r->end;
		return "";
	}
	r->at = end + 1;
	return (const char *)begin;
}

/* Reads what precedes the program; false: it is of another version, or cut off. */
static bool read_head(struct reader *r, struct unit *u)
{
	const unsigned version = (unsigned)read_number(r, 2);
	const uint64_t length = read_number(r, 4);

	if (r->over || length > (size_t)(r->end - r->at) || version < 2 || version > 3)
		return false;
	struct reader head = {r->at, r->at + length, false};
	const char *name;

	u->least_length = (unsigned)read_number(&head, 1);
	(void)read_number(&head, 1); /* whether rows begin a statement */
	u->line_base = (int)(read_number(&head, 1) ^ 0x80) - 0x80; /* signed */
	u->line_range = (unsigned)read_number(&head, 1);
	u->opcode_base = (unsigned)read_number(&head, 1);
	for (unsigned i = 1; i < u->opcode_base; i++)
		u->operands[i] = (unsigned char)read_number(&head, 1);
	u->n_folders = u->n_files = 0;
	while (*(name = read_text(&head)) && u->n_folders < MAX_FILES)
		u->folders[u->n_folders++] = name;
	while (*(name = read_text(&head)) && u->n_files < MAX_FILES) {
		u->folder_of[u->n_files] = (uint32_t)read_leb(&head, false);
		(void)read_leb(&head, false); /* time and size of the file */
		(void)read_leb(&head, false);
		u->files[u->n_files++] = name;
	}
	r->at = head.end;
	return !head.over && u->line_range > 0 && u->opcode_base > 0;
}

/* The section that the address at an offset of .debug_line is relative to; 0: none is named. */
static unsigned find_target(const struct cubin *c, uint64_t offset)
{
	static const struct {
		const char *name;
		size_t bytes;
	} kinds[] = {{".rela.debug_line", sizeof(Elf64_Rela)},
		     {".rel.debug_line", sizeof(Elf64_Rel)}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct elf_part p = cubin_find_section(c, kinds[i].name);

		for (size_t at = 0; at + kinds[i].bytes <= p.n; at += kinds[i].bytes) {
			Elf64_Rel one; /* the longer kind begins with the shorter */
			Elf64_Sym symbol;

			memcpy(&one, p.data + at, sizeof one);
			if (one.r_offset == offset &&
			    elf_get_symbol(&c->elf, ELF64_R_SYM(one.r_info), &symbol))
				return symbol.st_shndx;
		}
	}
	return 0;
}

static enum asc_status add_row(struct cubin_lines *l, const struct unit *u, uint64_t address,
			       uint64_t file, int64_t line, struct asc_err *e)
{
	const bool named = file >= 1 && file <= u->n_files;
	const uint32_t folder = named ? u->folder_of[file - 1] : 0;

	if (!array_room(&l->list, l->n, &l->room, sizeof *l->list))
		return asc_err_nomem(e);
	l->list[l->n++] = (struct cubin_line){
		.address = address,
		.file = named ? u->files[file - 1] : "",
		.folder = folder >= 1 && folder <= u->n_folders ? u->folders[folder - 1] : "",
		.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0};
	return ASC_OK;
}

/* A program under way. */
struct machine {
	const struct cubin *cubin;
	const struct unit *unit;
	const unsigned char *section; /* .debug_line, by whose offsets relocations go */
	unsigned wanted;              /* section whose rows are added */
	struct cubin_lines *lines;
	uint64_t address, file;
	int64_t line;
	bool here; /* the address is in that section */
	size_t sequences;
};

static void begin_sequence(struct machine *m)
{
	m->address = 0;
	m->file = 1;
	m->line = 1;
	m->here = false;
}

/* Carries out an extended opcode; *more false: the program ends there. */
static enum asc_status run_extended(struct machine *m, struct reader *r, bool *more,
				    struct asc_err *e)
{
	const uint64_t length = (uint64_t)read_leb(r, false);

	*more = length > 0 && length <= (size_t)(r->end - r->at);
	if (!*more)
		return ASC_OK;
	const unsigned char *next = r->at + length;
	const unsigned extended = (unsigned)read_number(r, 1);

	if (extended == LINE_SET_ADDRESS) {
		*more = ++m->sequences <= MAX_SEQUENCES;
		m->here =
			*more && find_target(m->cubin, (uint64_t)(r->at - m->section)) == m->wanted;
		m->address = read_number(r, length - 1);
	} else if (extended == LINE_END_SEQUENCE) {
		if (m->here && add_row(m->lines, m->unit, m->address, 0, 0, e))
			return e->status;
		begin_sequence(m);
	}
	/* Others, of NVIDIA's own about functions that are inlined, are passed over. */
	r->at = next;
	return ASC_OK;
}

/* Carries out a standard opcode; true: it makes a row. */
static bool run_standard(struct machine *m, struct reader *r, unsigned op)
{
	const struct unit *u = m->unit;

	switch (op) {
	case LINE_COPY: return true;
	case LINE_ADVANCE_PC: m->address += u->least_length * (uint64_t)read_leb(r, false); break;
	case LINE_ADVANCE_LINE:
		m->line = (int64_t)((uint64_t)m->line + (uint64_t)read_leb(r, true));
		break;
	case LINE_SET_FILE: m->file = (uint64_t)read_leb(r, false); break;
	case LINE_CONST_ADD_PC:
		m->address += (uint64_t)u->least_length * ((255 - u->opcode_base) / u->line_range);
		break;
	case LINE_FIXED_ADVANCE_PC: m->address += read_number(r, 2); break;
	default:
		for (unsigned i = 0; i < u->operands[op]; i++)
			(void)read_leb(r, false);
	}
	return false;
}

/* Runs the program of a unit; rows of the wanted section are added. */
static enum asc_status run(struct machine *m, struct reader *r, struct asc_err *e)
{
	const struct unit *u = m->unit;
	bool more = true;

	begin_sequence(m);
	while (more && r->at < r->end && !r->over) {
		const unsigned op = (unsigned)read_number(r, 1);
		bool row = op >= u->opcode_base;

		if (row) { /* a special opcode: an advance of both */
			m->address +=
				(uint64_t)u->least_length * ((op - u->opcode_base) / u->line_range);
			m->line += u->line_base + (int)((op - u->opcode_base) % u->line_range);
		} else if (op == 0) {
			if (run_extended(m, r, &more, e))
				return e->status;
		} else {
			row = run_standard(m, r, op);
		}
		if (row && m->here && add_row(m->lines, u, m->address, m->file, m->line, e))
			return e->status;
	}
	return ASC_OK;
}

static int compare_lines(const void *a, const void *b)
{
	const struct cubin_line *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

enum asc_status cubin_lines_open(const struct cubin *c, const char *kernel, struct cubin_lines *out,
				 struct asc_err *e)
{
	const struct elf_part p = cubin_find_section(c, ".debug_line");
	struct reader all = {p.data, p.data + p.n, false};
	struct unit *u = calloc(1, sizeof *u);
	const unsigned wanted = cubin_find_text(c, kernel);
	struct machine m = {
		.cubin = c, .unit = u, .section = p.data, .wanted = wanted, .lines = out};
	enum asc_status s = u ? ASC_OK : asc_err_nomem(e);

	*out = (struct cubin_lines){0};
	while (s == ASC_OK && p.data && wanted && all.at < all.end && !all.over) {
		const uint64_t length = read_number(&all, 4);

		if (length > (size_t)(all.end - all.at))
			break;
		struct reader one = {all.at, all.at + length, false};

		all.at = one.end;
		if (read_head(&one, u))
			s = run(&m, &one, e);
	}
	free(u);
	if (s == ASC_OK && out->n == 0)
		s = asc_err_set(e, ASC_ABSENT,
				"has no source lines of %s: it was compiled without -lineinfo",
				kernel);
	if (s)
		return s;
	/* Of rows of one address the last one counts, and a program makes rows in order: they are
	 * moved only where several of them contradict that. */
	for (size_t i = 1; i < out->n; i++)
		if (out->list[i].address < out->list[i - 1].address) {
			qsort(out->list, out->n, sizeof *out->list, compare_lines);
			break;
		}
	return ASC_OK;
}

void cubin_lines_close(struct cubin_lines *l)
{
	free(l->list);
	*l = (struct cubin_lines){0};
}

const struct cubin_line *cubin_lines_find(const struct cubin_lines *l, uint64_t address)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (l->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && l->list[low - 1].line ? &l->list[low - 1] : NULL;
}
