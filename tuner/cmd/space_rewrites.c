#include "tuner/cmd/space_rewrites.h"

#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/model/binding_rewrite.h"

enum asc_status space_rewrites_print(const struct binding *b, const struct implementation *i,
				     const struct space *s, struct buf *out, struct asc_err *e)
{
	for (size_t k = 0; rewrite_list[k]; k++) {
		uint64_t n = 0;

		if (binding_count_added(b, i, s, rewrite_list[k], &n, e))
			return e->status;
		if (n == 0)
			continue;
		buf_print(out, "rewrite %s: ", rewrite_list[k]->name);
		if (n == BINDING_UNCOUNTED)
			buf_add_str(out, "what it adds is too much to count: without it the space "
					 "is too large\n");
		else
			buf_print(out, "adds %llu configuration%s\n", (unsigned long long)n,
				  n == 1 ? "" : "s");
	}
	return buf_check(out, e);
}

enum asc_status space_rewrites_write(const struct binding *b, const struct implementation *i,
				     const struct space *s, struct json_writer *w,
				     struct asc_err *e)
{
	json_write_begin(w, "added", '[');
	for (size_t k = 0; rewrite_list[k]; k++) {
		uint64_t n = 0;

		if (binding_count_added(b, i, s, rewrite_list[k], &n, e))
			return e->status;
		if (!n)
			continue;
		json_write_begin(w, NULL, '{');
		json_write_string(w, "rewrite", rewrite_list[k]->name);
		if (n == BINDING_UNCOUNTED)
			json_write_string(w, "configurations", NULL);
		else
			json_write_count(w, "configurations", n);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	return ASC_OK;
}
