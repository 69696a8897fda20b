/* Machine code of NVIDIA GPUs, read from a cubin: neither a driver, a GPU nor a disassembler is
 * needed. The bytes are those of a file that anybody may have written.
 *
 * A struct cubin is the caller's storage and borrows the bytes; there is nothing to free. */
#ifndef ASCTUNE_CODE_CUBIN_CODE_H
#define ASCTUNE_CODE_CUBIN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"
#include "tuner/code/elf_file.h"

struct buf;

struct cubin {
	struct elf_file elf;
	int capability; /* compute capability, times 10: 90 */
};

/* True for bytes that begin as a cubin does, whatever follows. */
bool cubin_is_one(const void *data, size_t n);

/* Opens n bytes. ASC_INPUT: they are no cubin, or are cut off. */
enum asc_status cubin_open(const void *data, size_t n, struct cubin *out, struct asc_err *e);

/* Finds the next kernel's name, borrowed; NULL: there are no more. *at is 0 at first. */
const char *cubin_next_kernel(const struct cubin *c, size_t *at);

/* Variable of a module in the device's memory, which kernels may write: what is constant or shared
 * is none. */
struct cubin_global {
	const char *name; /* borrowed */
	uint64_t bytes;
	bool zero; /* it begins as zeros, which the file does not have */
};

/* Finds the next one; false: there are no more. *at is 0 at first. */
bool cubin_next_global(const struct cubin *c, size_t *at, struct cubin_global *out);

/* True where the code calls a function that the file lacks: the driver's own, "malloc" say. */
bool cubin_calls(const struct cubin *c, const char *function);

/* Finds the number of the section with a kernel's instructions; 0: there is none. */
unsigned cubin_find_text(const struct cubin *c, const char *kernel);

/* Finds the instructions of a kernel, and of the functions that its compiler put behind it. Data
 * NULL: there are none. */
struct elf_part cubin_find_code(const struct cubin *c, const char *kernel);

/* Finds what each instruction of a kernel is: *out is a heap array, NULL where the generation of
 * the chip is not known. *jumps: the number of indirect branches. */
enum asc_status cubin_decode(const struct cubin *c, const char *kernel,
			     struct code_instruction **out, size_t *n, int64_t *jumps,
			     struct asc_err *e);

/* Counts a kernel's code. ASC_INPUT: there is no kernel of that name, or nothing is said of its
 * registers. */
enum asc_status cubin_count(const struct cubin *c, const char *kernel, struct code_counts *out,
			    struct asc_err *e);

/* Appends the PTX that the code was made of. ASC_ABSENT: it is not there. */
enum asc_status cubin_print_ptx(const struct cubin *c, struct buf *out, struct asc_err *e);

/* A record of .nv.info, or of .nv.info.NAME. */
struct cubin_record {
	const unsigned char *head; /* 4 bytes: format, attribute, a value or a number of bytes */
	unsigned attribute;
	struct elf_part words; /* behind the head, where the format has some */
};

/* Reads the record at *at of a section, which is advanced; false at the end, and for one that is
 * cut off. */
bool cubin_next_record(const struct elf_part *info, size_t *at, struct cubin_record *out);

/* Finds the section of that name; data NULL: there is none. */
struct elf_part cubin_find_section(const struct cubin *c, const char *name);

#endif
