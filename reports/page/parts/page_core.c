#include "reports/page/parts/page_core.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/page/parts/html.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

struct page_block {
	struct page_block *next;
	max_align_t data[];
};

void *page_alloc(struct page *p, size_t bytes)
{
	struct page_block *b = calloc(1, sizeof *b + bytes);

	if (!b) {
		p->out->failed = true; /* seen in the end, whatever the caller does without it */
		return NULL;
	}
	b->next = p->blocks;
	p->blocks = b;
	return b->data;
}

const char *page_print(struct page *p, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args); /* for its length alone */

	va_end(args);
	if (len >= 0)
		text = page_alloc(p, (size_t)len + 1);
	if (!text)
		return "";
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void page_free(struct page *p)
{
	while (p->blocks) {
		struct page_block *next = p->blocks->next;

		free(p->blocks);
		p->blocks = next;
	}
}

/* ---- commands ---- */

void page_write_command(const struct buf *words, struct buf *out)
{
	html_copy(out, buf_str(words));
	out->failed |= words->failed;
}

const char *page_print_command(struct page *p, const char *command)
{
	struct buf words = {0};

	buf_print(&words, "%s %s", shell_program(), command);
	shell_add_option(&words, "--db", p->request->path);
	const char *text = page_print(p, "%s", buf_str(&words));

	p->out->failed |= words.failed;
	buf_fini(&words);
	return text;
}
