#include "tuner/cmd/space_limits.h"

#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/model/binding.h"
#include "tuner/model/binding_limits.h"

enum asc_status space_limits_print(const struct binding *b, const struct implementation *i,
				   struct buf *out, struct asc_err *e)
{
	struct limit_effect *effects = NULL;
	size_t n = 0;

	if (binding_limit_effects(b, i, &effects, &n, e))
		return e->status;
	for (size_t k = 0; k < n; k++)
		buf_print(out, "%s: %s %llu configuration%s\n", effects[k].reason,
			  effects[k].warns ? "multibuffer does not fit, so the compiler drops it, "
					     "and code motion with it, in"
					   : "leaves out",
			  (unsigned long long)effects[k].configurations,
			  effects[k].configurations == 1 ? "" : "s");
	limit_effects_free(effects, n);
	return buf_check(out, e);
}

static void write_effect(struct json_writer *w, const struct limit_effect *f)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "reason", f->reason);
	json_write_count(w, "configurations", f->configurations);
	json_write_end(w, '}');
}

enum asc_status space_limits_write(const struct binding *b, const struct implementation *i,
				   struct json_writer *w, struct asc_err *e)
{
	static const char *const names[] = {"pruned", "warned"};
	struct limit_effect *effects = NULL;
	size_t n = 0;

	if (binding_limit_effects(b, i, &effects, &n, e))
		return e->status;
	for (int warns = 0; warns < 2; warns++) {
		json_write_begin(w, names[warns], '[');
		for (size_t k = 0; k < n; k++)
			if (effects[k].warns == warns)
				write_effect(w, &effects[k]);
		json_write_end(w, ']');
	}
	limit_effects_free(effects, n);
	return ASC_OK;
}

void space_refusal_write(const struct binding *b, const struct implementation *i,
			 const char *reason, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "problem", b->problem->name);
	json_write_string(&w, "implementation", i->name);
	json_write_string(&w, "refused", reason);
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
}
