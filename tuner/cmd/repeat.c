#include "tuner/cmd/repeat.h"

#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/run_options.h"
#include "tuner/workload/rewrite.h"

void repeat_add_word(struct buf *out, const char *word)
{
	if (out->len)
		buf_add_char(out, ' ');
	shell_add_word(out, word);
}

static void add_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	repeat_add_word(out, name);
	repeat_add_word(out, value);
}

static void add_rewrites(struct buf *out, unsigned off)
{
	for (size_t i = 0; off && rewrite_list[i]; i++)
		if (off & rewrite_bit(rewrite_list[i]))
			add_option(out, "--no-rewrite", rewrite_list[i]->name);
}

/* Prints a time in the largest unit that gives a whole number. */
static void add_limit(struct buf *out, int64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	if (ns == policy_default.limit_ns)
		return;
	for (; i < 3 && ns % 1000 == 0; i++)
		ns /= 1000;
	buf_print(out, " --limit %lld%s", (long long)ns, units[i]);
}

void repeat_add_trial(struct buf *out, const struct run_options *o, const struct repeat_trial *t)
{
	repeat_add_word(out, "asctune");
	repeat_add_word(out, "run");
	repeat_add_word(out, t->file);
	add_option(out, "-D", o->device);
	add_option(out, "-p", t->problem);
	add_option(out, "--impl", t->implementation);
	add_option(out, "--config", t->config);
	if (o->policy.cache != policy_default.cache)
		add_option(out, "--cache", cache_policy_name(o->policy.cache));
	add_limit(out, o->policy.limit_ns);
	add_rewrites(out, o->rewrites_off);
}
