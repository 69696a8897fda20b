#include "tests/fuzz/writers/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

void foreign_init(struct foreign *f, const uint8_t *data, size_t size)
{
	*f = (struct foreign){.bytes = calloc(1, size + 1)};
	if (!f->bytes)
		abort();
	if (size > 0)
		memcpy(f->bytes, data, size);
	for (size_t at = 0; at <= size && f->n < FOREIGN_NAMES; at += strlen(f->bytes + at) + 1)
		f->names[f->n++] = f->bytes + at;
}

void foreign_fini(struct foreign *f)
{
	free(f->bytes);
}

const char *foreign_name(const struct foreign *f, size_t i)
{
	return f->names[i % f->n];
}

void foreign_fail(const char *writer, const char *wrong, const char *at)
{
	(void)fprintf(stderr, "%s: %s: \"%.200s\"\n", writer, wrong, at);
	abort();
}

void foreign_check_markup(const char *writer, const struct buf *text, enum markup kind)
{
	char *wrong = markup_check(buf_str(text), text->len, kind);

	if (wrong)
		foreign_fail(writer, wrong, buf_str(text));
}

/* Control characters of the second block are two bytes that begin with 0xC2; U+FFFE and U+FFFF are
 * EF BF BE and EF BF BF. */
const char *foreign_bad_character(const char *text)
{
	for (size_t left = strlen(text), n; left > 0; text += n, left -= n) {
		const unsigned char *c = (const unsigned char *)text;

		n = utf8_len(text, left);
		if (n == 0 || (n == 1 && (*c < 0x20 || *c == 0x7F) && *c != '\n') ||
		    (n == 2 && c[0] == 0xC2 && c[1] < 0xA0) ||
		    (n == 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE))
			return text;
	}
	return NULL;
}
