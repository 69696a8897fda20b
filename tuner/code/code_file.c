#include "tuner/code/code_file.h"

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/elf_file.h"
#include "tuner/code/object_code.h"

/* Counts the code of a CPU, of which only its listing tells more than its bytes. */
static enum asc_status count_object(const char *path, const struct buf *bytes,
				    struct code_counts *out, struct asc_err *e)
{
	struct code_listing l;
	struct elf_file elf;
	Elf64_Shdr text;
	const enum asc_status s = code_listing_open(path, NULL, &l, e);

	*out = l.counts;
	out->kind = CODE_CPU;
	out->bytes =
		elf_open(bytes->data, bytes->len, &elf) && elf_find_section(&elf, ".text", &text)
			? (int64_t)text.sh_size
			: -1;
	code_listing_close(&l);
	return s;
}

enum asc_status code_file_count(const char *path, const char *kernel, struct code_counts *out,
				struct asc_err *e)
{
	struct buf bytes = {0};
	struct cubin cubin;
	enum asc_status s = file_read(path, CODE_FILE_BYTES, &bytes, e);

	*out = (struct code_counts){.bytes = -1};
	if (s == ASC_OK && cubin_is_one(bytes.data, bytes.len)) {
		s = cubin_open(bytes.data, bytes.len, &cubin, e);
		if (s == ASC_OK)
			s = cubin_count(&cubin, kernel, out, e);
		s = s ? asc_err_wrap(e, "%s", path) : s;
	} else if (s == ASC_OK && object_machine(bytes.data, bytes.len)) {
		s = count_object(path, &bytes, out, e);
	} else if (s == ASC_OK) {
		s = asc_err_set(e, ASC_ABSENT,
				"%s: nothing is known of its instructions: it is no "
				"cubin, and no code of an x86-64 or aarch64 processor",
				path);
	}
	buf_fini(&bytes);
	return s;
}
