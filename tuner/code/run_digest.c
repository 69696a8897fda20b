#include "tuner/code/run_digest.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/elf_file.h"
#include "tuner/code/object_code.h"

/* ---- cubins ---- */

/* Kinds of records in .nv.info, by how cuobjdump -elf of CUDA 12 and 13 prints them. The number of
 * a symbol is no more than its place in a table, which symbols for debuggers move. */
enum words { UNKNOWN, NUMBERS, SYMBOL_FIRST, SYMBOLS };

static enum words find_words(unsigned attribute)
{
	switch (attribute) {
	case 0x0a: /* PARAM_CBANK */
	case 0x11: /* FRAME_SIZE */
	case 0x12: /* MIN_STACK_SIZE */
	case 0x23: /* MAX_STACK_SIZE */
	case 0x2f: /* REGCOUNT */ return SYMBOL_FIRST;
	case 0x0f: /* EXTERNS */ return SYMBOLS;
	case 0x05: /* MAX_THREADS */
	case 0x10: /* REQNTID */
	case 0x17: /* KPARAM_INFO */
	case 0x1c: /* EXIT_INSTR_OFFSETS */
	case 0x1e: /* CRS_STACK_SIZE */
	case 0x28: /* COOP_GROUP_INSTR_OFFSETS */
	case 0x31: /* INT_WARP_WIDE_INSTR_OFFSETS */
	case 0x36: /* SW_WAR */
	case 0x37: /* CUDA_API_VERSION */ return NUMBERS;
	default: return UNKNOWN;
	}
}

/* True for a section that only debuggers and people read: no compiler marks it as loaded. Those of
 * Mercury code have a prefix. */
static bool is_for_debuggers(const char *name, const Elf64_Shdr *section)
{
	static const char *const prefixes[] = {".nv.merc", ".rela", ".rel"};
	static const char *const words[] = {".debug_", ".nv_debug_", ".note.nv.tkinfo", ".comment"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 &&
		    name[strlen(prefixes[i])] == '.')
			name += strlen(prefixes[i]);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(name, words[i], strlen(words[i])) == 0)
			return !(section->sh_flags & SHF_ALLOC);
	return false;
}

/* Adds a symbol by what it stands for: a place in a section, or a name that others refer to it by.
 * Names of what is local have the source file's name in them. */
static void add_symbol(const struct elf_file *f, size_t number, struct hash *h)
{
	Elf64_Sym symbol;
	Elf64_Shdr section;

	if (!elf_get_symbol(f, number, &symbol)) {
		hash_add(h, &number, sizeof number); /* 0xffffffff: none */
		return;
	}
	const bool local =
		ELF64_ST_BIND(symbol.st_info) == STB_LOCAL && symbol.st_shndx != SHN_UNDEF;
	const bool placed = elf_get_section(f, symbol.st_shndx, &section);

	hash_add_str(h, local ? NULL : elf_symbol_name(f, &symbol));
	hash_add_str(h, placed ? elf_section_name(f, &section) : NULL);
	if (!placed) /* SHN_ABS and the like */
		hash_add(h, &symbol.st_shndx, sizeof symbol.st_shndx);
	hash_add(h, &symbol.st_info, 2); /* kind, binding; visibility and flags */
	hash_add(h, &symbol.st_value, sizeof symbol.st_value);
	hash_add(h, &symbol.st_size, sizeof symbol.st_size);
}

/* Adds functions and variables in their order: a kernel is found by its symbol. */
static void add_symbols(const struct elf_file *f, struct hash *h)
{
	Elf64_Sym symbol;

	for (size_t k = 0; elf_get_symbol(f, k, &symbol); k++) {
		const unsigned kind = ELF64_ST_TYPE(symbol.st_info);

		if (kind != STT_SECTION && kind != STT_FILE)
			add_symbol(f, k, h);
	}
}

static void add_records(const struct elf_file *f, const struct elf_part *info, struct hash *h)
{
	struct cubin_record r;
	size_t at = 0;

	for (size_t next = 0; cubin_next_record(info, &next, &r); at = next) {
		const enum words words = find_words(r.attribute);

		hash_add(h, r.head, 4);
		for (size_t i = 0; i < r.words.n; i += sizeof(uint32_t)) {
			const struct elf_part one = elf_cut(&r.words, i, sizeof(uint32_t));
			const bool symbol = words == SYMBOLS || (words == SYMBOL_FIRST && i == 0);
			uint32_t number;

			if (!one.data) { /* a part of a word */
				hash_add(h, r.words.data + i, r.words.n - i);
				break;
			}
			memcpy(&number, one.data, sizeof number);
			/* A word of unknown sense may be a symbol's number. */
			if (symbol || words == UNKNOWN)
				add_symbol(f, number, h);
			if (!symbol)
				hash_add(h, &number, sizeof number);
		}
	}
	if (info->data) /* what is no record */
		hash_add(h, info->data + at, info->n - at);
}

static void add_relocations(const struct elf_file *f, const struct elf_part *p, bool addends,
			    struct hash *h)
{
	const size_t bytes = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

	for (size_t at = 0; at + bytes <= p->n; at += bytes) {
		Elf64_Rela one = {0}; /* begins as the kind without an addend does */

		memcpy(&one, p->data + at, bytes);
		const uint64_t numbers[] = {one.r_offset, ELF64_R_TYPE(one.r_info),
					    (uint64_t)one.r_addend};

		hash_add(h, numbers, sizeof numbers);
		add_symbol(f, ELF64_R_SYM(one.r_info), h);
	}
	hash_add(h, &p->n, sizeof p->n);
}

/* Adds pairs of symbols: who calls whom. */
static void add_calls(const struct elf_file *f, const struct elf_part *p, struct hash *h)
{
	uint32_t number;

	for (size_t at = 0; at + sizeof number <= p->n; at += sizeof number) {
		memcpy(&number, p->data + at, sizeof number);
		add_symbol(f, number, h);
	}
	hash_add(h, &p->n, sizeof p->n);
}

/* Adds what else a section's head says that is not a place in the file. */
static void add_head(const struct elf_file *f, const char *name, const Elf64_Shdr *s,
		     struct hash *h)
{
	enum { SYMBOL_BITS = 24 }; /* of .text's, before the number of its registers */
	const bool is_code = strncmp(name, ".text", strlen(".text")) == 0;
	const uint64_t numbers[] = {s->sh_type,
				    s->sh_flags,
				    s->sh_addr,
				    s->sh_size,
				    s->sh_addralign,
				    s->sh_entsize,
				    is_code ? s->sh_info >> SYMBOL_BITS : 0};
	Elf64_Shdr of;

	hash_add_str(h, name);
	hash_add(h, numbers, sizeof numbers);
	if (is_code)
		add_symbol(f, s->sh_info & ((UINT32_C(1) << SYMBOL_BITS) - 1), h);
	else
		hash_add_str(h,
			     elf_get_section(f, s->sh_info, &of) ? elf_section_name(f, &of) : NULL);
}

static void add_section(const struct elf_file *f, const Elf64_Shdr *s, struct hash *h)
{
	static const char records[] = ".nv.info", calls[] = ".nv.callgraph";
	const char *name = elf_section_name(f, s);
	const struct elf_part p = elf_contents(f, s);

	if (s->sh_type == SHT_STRTAB || s->sh_type == SHT_SYMTAB || is_for_debuggers(name, s))
		return;
	add_head(f, name, s, h);
	if (s->sh_type == SHT_RELA || s->sh_type == SHT_REL)
		add_relocations(f, &p, s->sh_type == SHT_RELA, h);
	else if (strncmp(name, records, strlen(records)) == 0)
		add_records(f, &p, h);
	else if (strcmp(name, calls) == 0)
		add_calls(f, &p, h);
	else if (p.data)
		hash_add(h, p.data, p.n);
}

/* False where a part of it cannot be read, or has a name that would be hashed for hours, since many
 * others refer to it. */
static bool is_readable(const struct elf_file *f)
{
	enum { MOST_NAME = 4096 };
	Elf64_Shdr s;
	Elf64_Sym symbol;
	Elf64_Phdr segment;

	for (size_t k = 0; k < f->head.e_phnum; k++)
		if (!elf_get_segment(f, k, &segment))
			return false;
	for (size_t k = 0; k < f->head.e_shnum; k++)
		if (!elf_get_section(f, k, &s) ||
		    (s.sh_type != SHT_NOBITS && s.sh_size > 0 && !elf_contents(f, &s).data) ||
		    strnlen(elf_section_name(f, &s), MOST_NAME) == MOST_NAME)
			return false;
	for (size_t k = 0; elf_get_symbol(f, k, &symbol); k++)
		if (strnlen(elf_symbol_name(f, &symbol), MOST_NAME) == MOST_NAME)
			return false;
	return true;
}

static bool add_cubin(const void *data, size_t n, struct hash *h)
{
	struct cubin c;
	struct asc_err e;
	Elf64_Shdr s;
	Elf64_Phdr segment;

	if (cubin_open(data, n, &c, &e) || !is_readable(&c.elf))
		return false;
	const Elf64_Ehdr *head = &c.elf.head;

	/* From version 8 of the format on the flags end with the number of .note.nv.cuinfo. */
	const bool numbered = head->e_ident[EI_ABIVERSION] >= 8;
	const uint32_t flags = numbered ? head->e_flags & 0xffffff : head->e_flags;

	hash_add(h, head->e_ident, sizeof head->e_ident);
	hash_add(h, &head->e_type, sizeof head->e_type);
	hash_add(h, &flags, sizeof flags);
	if (numbered && elf_get_section(&c.elf, head->e_flags >> 24, &s))
		hash_add_str(h, elf_section_name(&c.elf, &s));
	for (size_t k = 0; elf_get_segment(&c.elf, k, &segment); k++) {
		const uint64_t numbers[] = {segment.p_type, segment.p_flags, segment.p_filesz,
					    segment.p_memsz, segment.p_align};

		hash_add(h, numbers, sizeof numbers);
	}
	for (size_t k = 0; k < head->e_shnum && elf_get_section(&c.elf, k, &s); k++)
		add_section(&c.elf, &s, h);
	add_symbols(&c.elf, h);
	return true;
}

/* ---- shared objects of CPUs ---- */

enum { MAX_SEGMENTS = 64, MAX_HOLES = 3 };

struct range {
	uint64_t at, end; /* of the file */
};

/* True where a part of the file is loaded as code. */
static bool is_code(const struct elf_file *f, struct range part)
{
	Elf64_Phdr s;

	for (size_t k = 0; elf_get_segment(f, k, &s); k++)
		if (s.p_type == PT_LOAD && (s.p_flags & PF_X) &&
		    part.at < s.p_offset + s.p_filesz && part.end > s.p_offset)
			return true;
	return false;
}

/* Finds the ID that a linker makes of all bytes, those for debuggers among them. A source may have
 * such notes, too, to hide what differs: one that is code, longer than any linker's or not the only
 * one is none. */
static bool find_id(const struct elf_file *f, struct range *out)
{
	enum { MOST_BYTES = 20 }; /* SHA-1 */
	Elf64_Phdr segment;
	size_t found = 0;

	for (size_t k = 0; elf_get_segment(f, k, &segment); k++) {
		const struct elf_part notes = elf_cut(&f->file, segment.p_offset, segment.p_filesz);
		Elf64_Nhdr note;

		if (segment.p_type != PT_NOTE || !notes.data)
			continue;
		const uint64_t unit = segment.p_align == 8 ? 8 : 4;

		for (uint64_t at = 0; elf_cut(&notes, at, sizeof note).data;) {
			memcpy(&note, notes.data + at, sizeof note);
			const uint64_t name = at + sizeof note;
			const uint64_t text = (name + note.n_namesz + unit - 1) / unit * unit;

			at = (text + note.n_descsz + unit - 1) / unit * unit;
			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			    !elf_cut(&notes, text, note.n_descsz).data ||
			    memcmp(notes.data + name, "GNU", 4) != 0)
				continue;
			*out = (struct range){segment.p_offset + text,
					      segment.p_offset + text + note.n_descsz};
			found++;
		}
	}
	return found == 1 && out->end - out->at <= MOST_BYTES && !is_code(f, *out);
}

/* Adds a part of the file without the holes, which lie in it whole or not at all. */
static void add_without(const struct elf_file *f, struct range part, const struct range *holes,
			size_t n, struct hash *h)
{
	uint64_t at = part.at;

	while (at < part.end) {
		struct range next = {part.end, part.end};

		for (size_t i = 0; i < n; i++)
			if (holes[i].at >= at && holes[i].at < next.at && holes[i].end <= part.end)
				next = holes[i];
		hash_add(h, f->file.data + at, (size_t)(next.at - at));
		at = next.end;
	}
}

/* False where it has nothing to load, or cannot be read. */
static bool add_object(const void *data, size_t n, struct hash *h)
{
	struct range holes[MAX_HOLES];
	struct elf_file f;
	Elf64_Phdr segment;
	size_t loaded = 0;

	if (!elf_open(data, n, &f) || f.head.e_type != ET_DYN || f.head.e_phnum > MAX_SEGMENTS ||
	    f.head.e_phentsize != sizeof segment)
		return false;
	for (size_t k = 0; k < f.head.e_phnum; k++) {
		if (!elf_get_segment(&f, k, &segment) ||
		    (segment.p_type == PT_LOAD && segment.p_filesz > 0 &&
		     !elf_cut(&f.file, segment.p_offset, segment.p_filesz).data))
			return false;
		loaded += segment.p_type == PT_LOAD;
	}
	/* The head is loaded, too: it says where the table of sections lies, which no loader reads.
	 */
	size_t n_holes = find_id(&f, holes) ? 1 : 0;

	holes[n_holes++] = (struct range){offsetof(Elf64_Ehdr, e_shoff),
					  offsetof(Elf64_Ehdr, e_shoff) + sizeof f.head.e_shoff};
	holes[n_holes++] = (struct range){offsetof(Elf64_Ehdr, e_shnum), sizeof f.head};
	for (size_t k = 0; loaded > 0 && elf_get_segment(&f, k, &segment); k++) {
		const struct range part = {segment.p_offset, segment.p_offset + segment.p_filesz};

		hash_add(h, &segment, sizeof segment);
		if (segment.p_type == PT_LOAD)
			add_without(&f, part, holes, n_holes, h);
	}
	return loaded > 0;
}

/* ---- either ---- */

enum asc_status run_digest(const void *data, size_t n, char out[RUN_DIGEST_SIZE], struct asc_err *e)
{
	static const struct {
		const char *name;
		bool (*add)(const void *data, size_t n, struct hash *h);
	} forms[] = {{"cubin", add_cubin}, {"object", add_object}};
	const bool known = cubin_is_one(data, n) || object_machine(data, n);
	const size_t form = cubin_is_one(data, n) ? 0 : 1;
	char text[HASH_TEXT_SIZE] = "";
	struct hash h;

	hash_init(&h);
	const bool read = known && forms[form].add(data, n, &h);

	if (!read)
		hash_add(&h, data, n);
	if (hash_end(&h, text, e))
		return e->status;
	(void)snprintf(out, RUN_DIGEST_SIZE, "%s:%s", read ? forms[form].name : "bytes", text);
	return ASC_OK;
}
