#include "reports/results/profile_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/results/profile_view.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"

/* One attempt: how much of texts and lists is written. */
struct attempt {
	struct json_writer *w;
	size_t columns; /* of a text */
	size_t entries; /* of a list */
};

/* Writes what may be shown of a text: a name of control characters would take six bytes for each.
 */
static void write_text(const struct attempt *a, const char *key, const char *text)
{
	struct buf cut = {0};

	if (!text || !*text)
		return;
	columns_add(&cut, text, a->columns, true);
	json_write_string(a->w, key, buf_str(&cut));
	a->w->out->failed |= cut.failed;
	buf_fini(&cut);
}

static void write_real(const struct attempt *a, const char *key, double value)
{
	char text[32];

	if (!isfinite(value))
		return;
	(void)snprintf(text, sizeof text, "%.3g", value);
	const double rounded = strtod(text, NULL);

	/* Whole numbers in full, without ".0", up to where their zeros are longer than an exponent.
	 */
	if (fabs(rounded) < 1e9 && !(rounded > trunc(rounded)) && !(rounded < trunc(rounded)))
		json_write_int(a->w, key, (int64_t)rounded);
	else
		json_write_real(a->w, key, rounded);
}

static void write_shares(const struct attempt *a, const char *key, const struct profile_shares *s)
{
	if (s->n == 0)
		return;
	json_write_begin(a->w, key, '{');
	for (size_t i = 0; i < s->n && i < a->entries; i++)
		write_real(a, s->list[i].name, s->list[i].value);
	json_write_end(a->w, '}');
}

static void write_levels(const struct attempt *a, const struct profile_view *v)
{
	if (v->n_levels == 0)
		return;
	json_write_begin(a->w, "levels", '[');
	for (size_t i = 0; i < v->n_levels; i++) {
		const struct profile_level *l = &v->levels[i];

		json_write_begin(a->w, NULL, '{');
		json_write_string(a->w, "name", l->name);
		write_real(a, "bytes", l->bytes);
		write_real(a, "rate", l->rate);
		write_real(a, "of_peak", l->part);
		write_real(a, "hit_pct", l->hit_pct);
		json_write_end(a->w, '}');
	}
	json_write_end(a->w, ']');
}

struct member {
	const char *key;
	double value;
};

/* Writes an object of those members that are known; nothing where none is. `loop`: of the innermost
 * loops, as its last member. */
static void write_members(const struct attempt *a, const char *key, const struct member *list,
			  size_t n, const struct profile_shares *loop)
{
	bool any = loop && loop->n > 0;

	for (size_t i = 0; i < n; i++)
		any |= isfinite(list[i].value);
	if (!any)
		return;
	json_write_begin(a->w, key, '{');
	for (size_t i = 0; i < n; i++)
		write_real(a, list[i].key, list[i].value);
	if (loop)
		write_shares(a, "loop", loop);
	json_write_end(a->w, '}');
}

#define MEMBERS(a, key, loop, ...)                                                                 \
	write_members(a, key, (const struct member[]){__VA_ARGS__},                                \
		      sizeof(struct member[]){__VA_ARGS__} / sizeof(struct member), loop)

static void write_heading(const struct attempt *a, const struct profile_heading *h)
{
	if (h->workload)
		json_write_string(a->w, "type", "profile");
	write_text(a, "workload", h->workload);
	write_text(a, "problem", h->problem);
	write_text(a, "implementation", h->implementation);
	write_text(a, "config", h->config);
	write_text(a, "device", h->device);
	write_real(a, "time_ns", h->time_ns);
	if (!isfinite(h->low_ns) || !isfinite(h->high_ns))
		return;
	json_write_begin(a->w, "interval_ns", '[');
	write_real(a, NULL, h->low_ns);
	write_real(a, NULL, h->high_ns);
	json_write_end(a->w, ']');
}

/* A figure is a member of its own: names are told apart by the probe that comes first. */
static void write_figures(const struct attempt *a, const struct profile_view *v)
{
	if (v->n_figures == 0)
		return;
	json_write_begin(a->w, "figures", '{');
	for (size_t i = 0; i < v->n_figures && i < 2 * a->entries; i++)
		write_real(a, v->figures[i]->name, v->figures[i]->value);
	json_write_end(a->w, '}');
}

static void write_missing(const struct attempt *a, const struct profile *p,
			  const struct profile_view *v)
{
	char what[64];

	if (v->n_reasons == 0 && !p->failure)
		return;
	json_write_begin(a->w, "missing", '[');
	if (p->failure) {
		json_write_begin(a->w, NULL, '{');
		json_write_string(a->w, "what", "counters");
		write_text(a, "reason", p->failure);
		json_write_end(a->w, '}');
	}
	for (size_t i = 0; i < v->n_reasons && i < a->entries; i++) {
		const struct profile_reason *r = &v->reasons[i];

		(void)snprintf(what, sizeof what, r->n > 1 ? "%s and %zu more" : "%s", r->first,
			       r->n - 1);
		json_write_begin(a->w, NULL, '{');
		write_text(a, "what", what);
		write_text(a, "reason", r->reason);
		json_write_end(a->w, '}');
	}
	json_write_end(a->w, ']');
}

static void write(const struct attempt *a, const char *key, const struct profile_heading *h,
		  const struct profile *p, const struct profile_view *v)
{
	struct buf sentence = {0};

	json_write_begin(a->w, key, '{');
	if (h)
		write_heading(a, h);
	json_write_string(a->w, "label", label_name(p->label));
	json_write_string(a->w, "how", label_basis_name(p->basis));
	profile_add_sentence(p, &sentence);
	write_text(a, "sentence", buf_str(&sentence));
	a->w->out->failed |= sentence.failed;
	buf_fini(&sentence);
	write_real(a, "left", p->left > 0 ? p->left : NAN);
	MEMBERS(a, "experiments", NULL, {"hot", v->hot}, {"half_occupancy", v->half});
	write_real(a, "disturbed", v->disturbed > 0 ? v->disturbed : NAN);
	write_levels(a, v);
	write_real(a, "of_need", v->bytes_needed);
	write_shares(a, "units", &v->units);
	MEMBERS(a, "warps", NULL, {"have", v->warps}, {"of", v->most_warps}, {"uneven", v->uneven});
	write_real(a, "threads", v->threads);
	write_shares(a, "counts", &v->counts);
	write_shares(a, "stalls", &v->stalls);
	MEMBERS(a, "code", &v->loop, {"registers", v->registers}, {"spills", v->spills},
		{"stack", v->stack}, {"shared", v->shared}, {"width_bits", v->width_bits},
		{"loop_instructions", v->loop_instructions});
	MEMBERS(a, "energy", NULL, {"j", v->energy_j}, {"above_idle_j", v->above_idle_j},
		{"low", v->low_j}, {"high", v->high_j}, {"watts", v->watts});
	if (v->kernels > 1)
		json_write_int(a->w, "kernels", v->kernels);
	write_text(a, "set", p->set);
	write_text(a, "cache", p->cache);
	write_real(a, "mhz", p->clock_mhz > 0 ? p->clock_mhz : NAN);
	if (p->passes > 0)
		json_write_int(a->w, "passes", p->passes);
	write_figures(a, v);
	write_missing(a, p, v);
	if (h)
		write_text(a, "next", h->next);
	json_write_end(a->w, '}');
}

enum asc_status profile_json_write(struct json_writer *w, const char *key,
				   const struct profile_heading *h, const struct profile *p,
				   struct asc_err *e)
{
	/* The last is far below the limit, whatever the texts: a dozen of 8 columns, lists of one.
	 */
	static const struct {
		size_t columns, entries;
	} attempts[] = {{400, 24}, {160, 8}, {80, 6}, {40, 4}, {20, 2}, {8, 1}};
	const size_t n = sizeof attempts / sizeof *attempts;
	struct profile_view v;

	profile_view_of(p, &v);
	for (size_t i = 0; i < n; i++) {
		struct buf text = {0};
		struct json_writer trial = {&text, false};
		const struct attempt a = {&trial, attempts[i].columns, attempts[i].entries};

		write(&a, NULL, h, p, &v);
		const bool fits = text.len <= PROFILE_JSON_BYTES || i + 1 == n;

		if (fits)
			write(&(struct attempt){w, a.columns, a.entries}, key, h, p, &v);
		w->out->failed |= text.failed;
		buf_fini(&text);
		if (fits)
			break;
	}
	return buf_check(w->out, e);
}
