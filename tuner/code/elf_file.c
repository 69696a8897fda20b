#include "tuner/code/elf_file.h"

#include <string.h>

struct elf_part elf_cut(const struct elf_part *p, uint64_t at, uint64_t n)
{
	if (!p->data || at > p->n || n > p->n - at)
		return (struct elf_part){NULL, 0};
	return (struct elf_part){p->data + at, (size_t)n};
}

/* Text at an offset of a table of strings, which ends with a NUL; "" beyond its end. */
static const char *text_at(const struct elf_part *table, uint64_t at)
{
	return at < table->n ? (const char *)table->data + at : "";
}

/* Copies entry `number` of a table, whose entries have n bytes each. */
static bool get_entry(const struct elf_part *table, size_t number, void *out, size_t n)
{
	const struct elf_part one = elf_cut(table, (uint64_t)number * n, n);

	memset(out, 0, n);
	if (one.data)
		memcpy(out, one.data, n);
	return one.data != NULL;
}

bool elf_get_section(const struct elf_file *f, size_t number, Elf64_Shdr *out)
{
	const struct elf_part table =
		elf_cut(&f->file, f->head.e_shoff, (uint64_t)f->head.e_shnum * sizeof *out);

	return get_entry(&table, number, out, sizeof *out);
}

bool elf_get_segment(const struct elf_file *f, size_t number, Elf64_Phdr *out)
{
	const struct elf_part table =
		elf_cut(&f->file, f->head.e_phoff, (uint64_t)f->head.e_phnum * sizeof *out);

	return get_entry(&table, number, out, sizeof *out);
}

struct elf_part elf_contents(const struct elf_file *f, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS ? (struct elf_part){NULL, 0}
					: elf_cut(&f->file, s->sh_offset, s->sh_size);
}

/* Contents of a table of strings; empty unless it ends with a NUL, so that no text runs past it. */
static struct elf_part get_strings(const struct elf_file *f, size_t number)
{
	Elf64_Shdr section;
	struct elf_part p = {NULL, 0};

	if (elf_get_section(f, number, &section))
		p = elf_contents(f, &section);
	return p.n > 0 && p.data[p.n - 1] == '\0' ? p : (struct elf_part){NULL, 0};
}

const char *elf_section_name(const struct elf_file *f, const Elf64_Shdr *section)
{
	return text_at(&f->names, section->sh_name);
}

bool elf_find_section(const struct elf_file *f, const char *name, Elf64_Shdr *out)
{
	for (size_t k = 0; k < f->head.e_shnum && elf_get_section(f, k, out); k++)
		if (strcmp(elf_section_name(f, out), name) == 0)
			return true;
	return false;
}

bool elf_get_symbol(const struct elf_file *f, size_t number, Elf64_Sym *out)
{
	return get_entry(&f->symbols, number, out, sizeof *out);
}

const char *elf_symbol_name(const struct elf_file *f, const Elf64_Sym *symbol)
{
	return text_at(&f->strings, symbol->st_name);
}

int elf_machine(const void *data, size_t n)
{
	Elf64_Ehdr head;

	if (n < sizeof head)
		return EM_NONE;
	memcpy(&head, data, sizeof head);
	return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
			       head.e_ident[EI_DATA] == ELFDATA2LSB
		       ? head.e_machine
		       : EM_NONE;
}

bool elf_open(const void *data, size_t n, struct elf_file *out)
{
	Elf64_Shdr symbols;

	*out = (struct elf_file){.file = {data, n}};
	if (elf_machine(data, n) == EM_NONE)
		return false;
	memcpy(&out->head, data, sizeof out->head);
	if (out->head.e_shentsize == sizeof symbols)
		out->names = get_strings(out, out->head.e_shstrndx);
	if (out->names.data && elf_find_section(out, ".symtab", &symbols)) {
		out->symbols = elf_contents(out, &symbols);
		out->strings = get_strings(out, symbols.sh_link);
	}
	return true;
}
