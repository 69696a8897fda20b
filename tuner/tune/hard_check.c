/* Other sizes and hard inputs of one configuration, in order:
 *
 * 1. List the cases (list_cases): hard inputs at small sizes, then for each size that varies the
 *    values at which tails go wrong. The workload is read again for that, since its problems are
 *    others'.
 * 2. Bind each (bind_case): problem, implementation and space have to allow it. Hard inputs of a
 *    problem that is too large go with all of its sizes cut (cuts), also those of which nobody says
 *    that they vary: what is wrong there on ordinary inputs, too (the case CONTROL), is no fault of
 *    the hard ones, and is noted.
 * 3. Have references made that the cache lacks, before a kernel runs in the worker
 *    (make_reference).
 * 4. Launch the configuration in each case and take its verdict (try_case). The first failure ends
 *    the check: what it fails at is reason enough.
 *
 * The problem that was measured waits with its worker meanwhile (evaluator_ops.beside). */
#include "tuner/tune/hard_check.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop_options.h"
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

enum {
	MOST_CASES = 128,
	MOST_BLOCKS = 4, /* of one size: the blocks of a configuration are few */
	SMALL = 64,      /* of the sizes beside the one that is tried */
	MOST_BLOCK = 4096,
	CONTROL = 0 /* number of the case of ordinary inputs where all sizes are cut */
};

static const int64_t POLL_NS = INT64_C(2000000);
/* Part of a run's time that all of its checks have, and their least time: a few launches of small
 * problems need a tenth of it, a compiler that is asked again may need it all. */
static const double PART = 0.05;
static const int64_t LEAST_NS = INT64_C(1000000000);
/* Cases beyond these would take longer than all others together: elements of all tensors, and
 * operations of the reference, a thousand million a second. */
static const int64_t MOST_ELEMENTS = INT64_C(1) << 20;
static const double MOST_FLOPS = 1e8;

/* How large the sizes are beside the one that a case tries, in the order in which they are bound:
 * first those that vary are small, with tails behind whole blocks where a size is tried, since a
 * kernel may err where two tails meet alone; then all are the problem's own. */
static const struct cut {
	bool tails;
	bool all; /* of sizes that vary, else */
	int64_t most;
} cuts[] = {{true, false, SMALL + 1}, {false, false, SMALL}, {false, false, INT64_MAX},
	    {false, true, 1024},      {false, true, 256},    {false, true, SMALL}};

struct hard_case {
	const char *dimension; /* borrowed from the workload; NULL: no size is tried */
	int64_t size;
	enum hard_set hard;          /* of its inputs */
	const struct cut *cut;       /* of the sizes */
	bool bound;                  /* the rest is there */
	bool large;                  /* not bound since it is too large, with some cut or all */
	struct loop_options options; /* those of the run, with this problem */
	struct binding binding;
	const struct implementation *implementation;
	struct space *space;
	struct config config;
};

struct check {
	struct hard_context *x;
	const struct implementation *implementation;
	const struct config *config;
	const char *const *names;
	struct workload *workload; /* read again */
	struct hard_case cases[MOST_CASES];
	size_t n;
};

static bool stopped(const struct check *k)
{
	return k->x->options->stop && *k->x->options->stop;
}

/* ---- the cases ---- */

/* True where the formula names `name`. */
static bool mentions(const struct formula *f, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = f->text; at && (at = strstr(at, name)) != NULL; at += n)
		if ((at == f->text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)at[n]) && at[n] != '_')
			return true;
	return false;
}

/* True where a grid divides the size by the parameter: one formula has both. */
static bool is_block_of(const struct implementation *i, const char *parameter, const char *size)
{
	for (size_t k = 0; k < i->n_calls; k++)
		for (size_t a = 0; a < 3; a++) {
			const struct formula *grid = &i->calls[k].launch.grid[a];

			if (mentions(grid, parameter) && mentions(grid, size))
				return true;
		}
	return false;
}

static void add_case(struct check *k, const struct dimension *d, int64_t size)
{
	bool has = size < 1 || size == d->value.i || k->n == MOST_CASES;

	for (size_t i = 0; i < k->n; i++)
		has |= k->cases[i].dimension && strcmp(k->cases[i].dimension, d->name) == 0 &&
		       k->cases[i].size == size;
	if (!has)
		k->cases[k->n++] = (struct hard_case){.dimension = d->name, .size = size};
}

/* Lists the values of one size. Those that tell most come first, since time may end the list: one
 * more than a block leaves a tail of one element behind a whole block. Parameters that the grid
 * divides the size by come before others, which may be blocks of a loop. */
static void list_sizes(struct check *k, const struct dimension *d)
{
	int64_t blocks[MOST_BLOCKS];
	size_t n = 0;

	for (int loops = 0; loops < 2; loops++)
		for (size_t i = 0; i < k->config->n && n < MOST_BLOCKS; i++) {
			const struct value v = k->config->values[i];

			if (v.kind == VALUE_INT && v.i > 1 && v.i <= MOST_BLOCK &&
			    is_block_of(k->implementation, k->names[i], d->name) == !loops)
				blocks[n++] = v.i;
		}
	/* Without a parameter a block is a constant of the kernel, hardly ever larger. */
	if (n == 0)
		blocks[n++] = SMALL;
	for (size_t i = 0; i < n; i++)
		add_case(k, d, blocks[i] + 1);
	add_case(k, d, 1);
	add_case(k, d, d->value.i - 1);
	add_case(k, d, d->value.i + 1);
	for (size_t i = 0; i < n; i++) {
		add_case(k, d, blocks[i] - 1);
		add_case(k, d, blocks[i]);
	}
	add_case(k, d, 3 * blocks[0] - 1);
	/* Less than a vector of 4; one of 8 and a rest of 2; half a block behind a whole one. */
	add_case(k, d, 2);
	add_case(k, d, 3);
	add_case(k, d, 10);
	add_case(k, d, blocks[0] + blocks[0] / 2);
}

static void list_cases(struct check *k)
{
	const struct problem *p = k->x->options->problem;
	const struct name_list *varies = &k->workload->varies;

	k->cases[k->n++] = (struct hard_case){.hard = HARD_NONE}; /* CONTROL */
	for (int s = HARD_NONE + 1; s < HARD_COUNT; s++)
		k->cases[k->n++] = (struct hard_case){.hard = (enum hard_set)s};
	for (size_t i = 0; i < varies->n; i++)
		for (size_t d = 0; d < p->n_dims; d++)
			if (strcmp(p->dims[d].name, varies->names[i]) == 0 &&
			    p->dims[d].value.kind == VALUE_INT)
				list_sizes(k, &p->dims[d]);
}

/* ---- binding ---- */

/* Value of a dimension in a case. */
static struct value size_in(const struct check *k, const struct hard_case *c,
			    const struct dimension *d)
{
	if (c->dimension && strcmp(d->name, c->dimension) == 0)
		return value_int(c->size);
	if (d->value.kind == VALUE_INT && d->value.i > c->cut->most &&
	    (c->cut->all || (k->workload->varies.n > 0 && /* an empty list has any name */
			     name_list_has(&k->workload->varies, d->name))))
		return value_int(c->cut->most);
	return d->value;
}

/* Prints the name of a case's problem: its entry's, with all that differs from the first problem
 * of that entry, which the name begins from. */
static void print_problem(const struct check *k, const struct hard_case *c, struct buf *out)
{
	const struct problem *p = k->x->options->problem, *first = k->workload->problems;
	const char *entry = p->ladder ? p->ladder : p->name;

	while (strcmp(first->ladder ? first->ladder : first->name, entry) != 0)
		first++; /* the entry that the run's problem is of is in the file */
	buf_add_str(out, entry);
	const size_t len = out->len;
	for (size_t i = 0; i < p->n_dims; i++) {
		const struct value v = size_in(k, c, &p->dims[i]);

		if (value_equal(v, first->dims[i].value))
			continue;
		buf_print(out, ".%s%" PRId64, p->dims[i].name,
			  v.kind == VALUE_BOOL ? (int64_t)value_truth(v) : v.i);
	}
	for (size_t i = 0; i < p->n_dtypes; i++)
		if (p->dtypes[i].dtype != first->dtypes[i].dtype)
			buf_print(out, ".%s%s", p->dtypes[i].name, dtype_name(p->dtypes[i].dtype));
	if (out->len == len) { /* a ladder's own name is that of no problem */
		buf_clear(out);
		buf_add_str(out, first->name);
	}
}

static void unbind(struct hard_case *c)
{
	if (!c->bound)
		return;
	space_free(c->space);
	binding_fini(&c->binding);
	c->space = NULL;
	c->bound = false;
}

/* True where hard inputs change any tensor. */
static bool is_other(const struct hard_case *c)
{
	bool changes = c->hard == HARD_NONE;

	for (size_t i = 0; i < c->binding.workload->n_tensors; i++)
		changes |= hard_set_has(c->hard, &c->binding, i);
	return changes;
}

static bool is_large(const struct binding *b)
{
	int64_t n = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		n += b->tensors[i].present ? b->tensors[i].count : 0;
	return n > MOST_ELEMENTS || b->flops > MOST_FLOPS;
}

/* Finds the configuration in the space of the case; false, for whatever reason, where it is none
 * there. */
static bool find_config(const struct check *k, struct hard_case *c, struct asc_err *why)
{
	struct buf text = {0};
	bool covers = false;
	char reason[512];
	uint64_t index;

	c->implementation = workload_find_implementation(k->workload, k->implementation->name);
	if (!c->implementation ||
	    binding_covers(&c->binding, c->implementation, &covers, reason, sizeof reason, why) ||
	    !covers || binding_space(&c->binding, c->implementation, &c->space, why))
		return false;
	config_key(k->config, k->names, &text);
	const bool found = !buf_check(&text, why) &&
			   !config_parse(buf_str(&text), space_names(c->space),
					 space_params(c->space), &c->config, why) &&
			   space_find(c->space, &c->config, &index);

	buf_fini(&text);
	return found;
}

/* Binds a case with its sizes cut. What the file's conditions, the implementation's or the
 * configuration's do not allow is no case; memory alone is a failure. */
static enum asc_status bind_case(const struct check *k, struct hard_case *c, struct asc_err *e)
{
	const struct problem *problem;
	struct asc_err why = {0};
	struct buf name = {0};

	print_problem(k, c, &name);
	if (buf_check(&name, e))
		return e->status;
	c->options = *k->x->options;
	c->options.workload = k->workload;
	if (!workload_open_problem(k->workload, buf_str(&name), &problem, &why)) {
		c->options.problem = problem;
		c->bound = !k->x->bind(&c->options, true, &c->binding, &why);
	}
	buf_fini(&name);
	const bool large = c->bound && is_other(c) && is_large(&c->binding);

	if (c->bound && (large || !is_other(c) || !find_config(k, c, &why)))
		unbind(c);
	c->large = !c->bound && (c->large || large);
	return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
}

/* Prints what a case is, "with M = 129" or "on zeros". Heap; NULL: out of memory. */
static char *print_case(const struct check *k, const struct hard_case *c)
{
	if (c->dimension && c->cut->tails && k->workload->varies.n > 1)
		return str_print("with %s = %" PRId64 ", others that vary of at most %" PRId64,
				 c->dimension, c->size, c->cut->most);
	if (c->dimension)
		return str_print("with %s = %" PRId64, c->dimension, c->size);
	return c->cut->all ? str_print("%s, with sizes of at most %" PRId64, hard_set_text(c->hard),
				       c->cut->most)
			   : str_dup(hard_set_text(c->hard));
}

/* Notes which cases are too large, once for all configurations. */
static void note_large(const struct check *k)
{
	const struct hard_case *first = NULL;
	size_t n = 0;

	for (size_t i = k->n; i-- > CONTROL + 1;)
		if (k->cases[i].large) {
			first = &k->cases[i];
			n++;
		}
	char *what = first && !k->x->said_large ? print_case(k, first) : NULL;

	if (what)
		log_print(LOG_NOTE, "%s: not tried, since that is too large: %s%s",
			  k->x->options->problem->name, what, n > 1 ? ", and others" : "");
	k->x->said_large |= what != NULL;
	free(what);
}

/* Binds all, *n of them; the control where a case needs it. */
static enum asc_status bind_cases(struct check *k, size_t *n, struct asc_err *e)
{
	struct hard_case *control = &k->cases[CONTROL];

	*n = 0;
	for (size_t at = CONTROL + 1; at < k->n; at++) {
		struct hard_case *c = &k->cases[at];

		for (size_t i = 0; i < sizeof cuts / sizeof *cuts && !c->bound; i++) {
			c->cut = &cuts[i];
			if (!(c->dimension ? c->cut->all : c->cut->tails) && bind_case(k, c, e))
				return e->status;
		}
		*n += c->bound;
		if (c->bound && c->cut->all)
			control->cut = c->cut;
	}
	note_large(k);
	return control->cut ? bind_case(k, control, e) : ASC_OK;
}

/* ---- trying ---- */

static struct evaluator_problem problem_of(const struct check *k, const struct hard_case *c)
{
	struct evaluator_problem p = k->x->problem(&c->options, &c->binding);

	p.n_sets = 1;
	p.hard = c->hard;
	p.small = true;
	policy_fix_repeats(&p.policy, 0, 1); /* one sample, which nobody looks at: */
	p.policy.cache = CACHE_HOT;          /* a flush takes longer than these launches */
	p.physics = (struct physics){0};
	return p;
}

/* Polls once; false where the time is over. */
static bool wait_once(const struct check *k, struct trial **done, enum asc_status *s,
		      struct asc_err *e)
{
	const struct session *session = k->x->options->session;

	if (stopped(k) || clock_now_ns() >= k->x->until_ns)
		return false;
	*s = session->ops->poll(session->evaluator, POLL_NS, done, e);
	if (!*s && !*done && k->x->tick)
		k->x->tick(k->x->user);
	return *s == ASC_OK;
}

/* Has the worker set the case up, unless the cache has its reference. */
static enum asc_status make_reference(const struct check *k, const struct hard_case *c,
				      struct asc_err *e)
{
	const struct session *session = k->x->options->session;
	const struct evaluator_problem p = problem_of(k, c);
	const struct reference_key key = {
		.binding = &c->binding, .seed = p.seeds[0], .hard = p.hard};
	struct trial *none = NULL;

	if (reference_is_kept(session->target.cache, &key))
		return ASC_OK;
	enum asc_status s = session->ops->beside(session->evaluator, &p, e);

	while (!s && !reference_is_kept(session->target.cache, &key) && wait_once(k, &none, &s, e))
		;
	return s;
}

/* True for a result that is the configuration's failure: not where it was never launched, for which
 * another size may be the reason (a tensor map's alignment, an algorithm that a vendor has not). */
static bool has_failed(const struct result *r)
{
	return result_status_failed(r->status) && r->phase >= PHASE_VERIFY &&
	       r->status != RESULT_LAUNCH_FAILED && r->status != RESULT_UNSUPPORTED;
}

static char *print_failure(const struct check *k, const struct hard_case *c, const struct result *r)
{
	const bool wrong = r->status == RESULT_WRONG;
	char *what = print_case(k, c);
	char *text =
		what ? str_print("%s: %s%s%s", what, wrong ? "" : result_status_name(r->status),
				 wrong ? "" : ": ", result_reason(r))
		     : NULL;

	free(what);
	return text;
}

static enum asc_status try_case(const struct check *k, struct hard_case *c, char **reason,
				struct asc_err *e)
{
	const struct session *session = k->x->options->session;
	const struct evaluator_problem p = problem_of(k, c);
	struct trial t = {.id = 1,
			  .purpose = TRIAL_SEARCH,
			  .implementation = c->implementation,
			  .names = space_names(c->space),
			  .config = c->config,
			  .full = true};
	struct trial *one = &t, *done = NULL;
	enum asc_status s = session->ops->beside(session->evaluator, &p, e);

	if (!s)
		s = session->ops->submit(session->evaluator, &one, 1, e);
	while (!s && !done && wait_once(k, &done, &s, e))
		;
	if (done && has_failed(&t.result) && !(*reason = print_failure(k, c, &t.result)))
		s = asc_err_nomem(e);
	session_end(k->x->options->session); /* a trial that is not done is taken back */
	trial_fini(&t);
	return s;
}

/* Notes that the control failed, for which *reason was printed, and drops what it was for. */
static void drop_cut(struct check *k, char **reason)
{
	log_print(LOG_NOTE, "%s: not tried on hard inputs, since it fails %s",
		  k->x->options->problem->name, *reason);
	free(*reason);
	*reason = NULL;
	for (size_t i = 0; i < k->n; i++)
		if (k->cases[i].bound && k->cases[i].cut->all)
			unbind(&k->cases[i]);
}

static void note_untried(const struct check *k, const struct hard_case *c,
			 const struct asc_err *why)
{
	char *what = print_case(k, c);

	log_print(LOG_DEBUG, "%s: not tried: %s", what ? what : "", why->text);
	free(what);
}

/* Steps 3 and 4. What goes wrong with a case alone (inputs that cannot be made of that size, a
 * reference that crashes) says nothing of the configuration. */
static enum asc_status try_all(struct check *k, char **reason, struct asc_err *e)
{
	const int64_t began_ns = clock_now_ns();
	size_t left = 0;

	for (int launch = 0; launch < 2; launch++) {
		/* References have half of the time: none is of use without a launch. */
		const int64_t until_ns =
			launch ? k->x->until_ns : began_ns + (k->x->until_ns - began_ns) / 2;

		for (size_t i = 0; i < k->n && !*reason && !stopped(k); i++) {
			struct hard_case *c = &k->cases[i];
			const bool late = clock_now_ns() >= until_ns;

			if (!c->bound)
				continue;
			const enum asc_status s = late     ? ASC_LIMIT
						  : launch ? try_case(k, c, reason, e)
							   : make_reference(k, c, e);

			left += late;
			if (!s && i == CONTROL && *reason)
				drop_cut(k, reason);
			if (!s)
				continue;
			if (s == ASC_NOMEM)
				return s;
			if (!late)
				note_untried(k, c, e);
			unbind(c);
		}
	}
	if (left)
		log_print(LOG_NOTE,
			  "%s: time ran out before %zu other sizes and hard inputs were tried",
			  k->x->options->problem->name, left);
	return ASC_OK;
}

enum asc_status hard_check(struct hard_context *x, const struct implementation *i,
			   const struct config *config, const char *const *names, char **reason,
			   struct asc_err *e)
{
	const struct loop_options *o = x->options;
	const struct session *session = o->session;
	struct check *k;
	size_t n = 0;

	*reason = NULL;
	if (x->until_ns == 0) {
		const int64_t now = clock_now_ns(),
			      part = (int64_t)(PART * (double)(now - x->began_ns));

		x->until_ns = now + (part > LEAST_NS ? part : LEAST_NS);
	}
	if (o->problem->n_sets || o->workload->reference_kind != REFERENCE_FUNCTION ||
	    !session->ops->beside)
		return ASC_OK;
	k = calloc(1, sizeof *k);
	if (!k)
		return asc_err_nomem(e);
	*k = (struct check){.x = x, .implementation = i, .config = config, .names = names};
	enum asc_status s =
		workload_open_known(o->workload->path, o->workload->hash, &k->workload, e);

	if (!s) {
		k->workload->untrusted = o->workload->untrusted;
		if (session->target.info->simulated)
			workload_use_twins(k->workload);
		list_cases(k);
	}
	if (!s)
		s = bind_cases(k, &n, e);
	if (!s && n > 0) {
		const int64_t began_ns = clock_now_ns();
		struct asc_err back;
		char took[UNITS_TEXT_SIZE];

		s = try_all(k, reason, e);
		log_print(LOG_DEBUG, "%s: %zu other sizes and hard inputs: %s", o->problem->name, n,
			  units_print_duration((double)(clock_now_ns() - began_ns), took));
		if (session->ops->go_back(session->evaluator, &back) && !s) {
			*e = back;
			s = e->status;
		}
	}
	for (size_t at = 0; at < k->n; at++)
		unbind(&k->cases[at]);
	workload_close(k->workload);
	free(k);
	return s;
}
