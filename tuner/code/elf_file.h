/* ELF files of 64 bits, little-endian, as compilers for GPUs and CPUs write them: sections,
 * symbols, segments. The bytes are those of a file that anybody may have written: what lies beyond
 * its end is not there.
 *
 * A struct elf_file is the caller's storage and borrows the bytes; there is nothing to free. */
#ifndef ASCTUNE_CODE_ELF_FILE_H
#define ASCTUNE_CODE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the file; data NULL: there is none. */
struct elf_part {
	const unsigned char *data;
	size_t n;
};

struct elf_file {
	struct elf_part file;
	Elf64_Ehdr head;
	struct elf_part names;            /* of sections */
	struct elf_part symbols, strings; /* symbols of .symtab and their names */
};

/* The machine (EM_X86_64) of bytes that begin as such a file does, whatever follows; EM_NONE:
 * there is no such file. */
int elf_machine(const void *data, size_t n);

/* Opens n bytes; false: they are no such file. Sections without names that can be read: out->names
 * is empty, and all of them are called "". */
bool elf_open(const void *data, size_t n, struct elf_file *out);

struct elf_part elf_cut(const struct elf_part *p, uint64_t at, uint64_t n);

/* Gets a section by its number; false: there is none. */
bool elf_get_section(const struct elf_file *f, size_t number, Elf64_Shdr *out);
bool elf_find_section(const struct elf_file *f, const char *name, Elf64_Shdr *out);
const char *elf_section_name(const struct elf_file *f, const Elf64_Shdr *section);

/* The bytes of a section; none of one that has a size alone, and of one that is cut off. */
struct elf_part elf_contents(const struct elf_file *f, const Elf64_Shdr *section);

/* Gets a symbol by its number; false: there is none. */
bool elf_get_symbol(const struct elf_file *f, size_t number, Elf64_Sym *out);
const char *elf_symbol_name(const struct elf_file *f, const Elf64_Sym *symbol);

/* Gets a segment, a part of the file that is loaded, by its number; false: there is none. */
bool elf_get_segment(const struct elf_file *f, size_t number, Elf64_Phdr *out);

#endif
