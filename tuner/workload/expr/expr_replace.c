#include "tuner/workload/expr/expr.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr_lex.h"

static bool is_name(const char *text, const struct token *t, const char *name)
{
	const size_t n = strlen(name);

	return t->kind == TOKEN_NAME && t->end - t->start == n &&
	       memcmp(text + t->start, name, n) == 0;
}

enum asc_status expr_replace(const char *text, const char *name, const char *with, char **out,
			     struct asc_err *e)
{
	struct buf b = {0};
	struct token t = {0};
	size_t at = 0;

	do {
		if (expr_lex(text, at, &t, e)) {
			buf_fini(&b);
			return e->status;
		}
		buf_add(&b, text + at, t.start - at);
		if (is_name(text, &t, name))
			buf_add_str(&b, with);
		else
			buf_add(&b, text + t.start, t.end - t.start);
		at = t.end;
	} while (t.kind != TOKEN_END);
	*out = buf_take(&b);
	return *out ? ASC_OK : asc_err_nomem(e);
}
