#include "tuner/base/long_text.h"

#include <stdint.h>
#include <sys/mman.h>

#include "tuner/base/file.h"

/* Bytes that a reader may have in memory, a multiple of any page: calls cost less than its faults.
 */
enum { WINDOW_BYTES = 4 << 20 };

/* Bytes that are written at a time: the kernel takes one large part for less than many pages. */
enum { WRITE_BYTES = 1 << 17 };

enum asc_status long_text_add(struct long_text *t, const void *data, size_t n, struct asc_err *e)
{
	if (!t->file) {
		if (!(t->file = tmpfile()))
			return file_fail(e, "make", "a temporary file");
		/* Without memory it stays at what the file has. */
		(void)setvbuf(t->file, NULL, _IOFBF, WRITE_BYTES);
	}
	if (fwrite(data, 1, n, t->file) != n)
		return file_fail(e, "write", "a temporary file");
	t->len += n;
	return ASC_OK;
}

enum asc_status long_text_map(struct long_text *t, struct asc_err *e)
{
	/* The NUL, which is no part of the text. */
	if (long_text_add(t, "", 1, e))
		return e->status;
	if (fflush(t->file))
		return file_fail(e, "write", "a temporary file");
	void *at = mmap(NULL, t->len, PROT_READ, MAP_SHARED, fileno(t->file), 0);

	if (at == MAP_FAILED)
		return file_fail(e, "map", "a temporary file");
	t->data = at;
	t->len--;
	return ASC_OK;
}

void long_text_reach(struct long_text *t, size_t at)
{
	if (at < t->left) {
		t->left = at / WINDOW_BYTES * WINDOW_BYTES;
		return;
	}
	const size_t end = at / WINDOW_BYTES * WINDOW_BYTES;

	/* The file has the pages: they come back when they are read. */
	if (end > t->left)
		(void)madvise((char *)(uintptr_t)t->data + t->left, end - t->left, MADV_DONTNEED);
	t->left = end;
}

void long_text_fini(struct long_text *t)
{
	if (t->data)
		(void)munmap((char *)(uintptr_t)t->data, t->len + 1);
	if (t->file)
		(void)fclose(t->file);
	*t = (struct long_text){0};
}
