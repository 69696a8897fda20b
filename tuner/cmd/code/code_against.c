#include "tuner/cmd/code/code_against.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/code/code_listing.h"

/* Counts opcodes: cubins need no listing for that. */
static enum asc_status count_opcodes(struct code_against *a,
				     const struct code_listing listings[CODE_SIDES],
				     struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; s == ASC_OK && i < CODE_SIDES; i++) {
		const struct code_kernel *k = a->sides[i];

		s = k->counts.kind == CODE_GPU
			    ? code_opcodes_add_cubin(&a->opcodes, i, k->path, k->entry, e)
		    : listings[i].n > 0 ? code_opcodes_add_listing(&a->opcodes, i, &listings[i], e)
					: asc_err_set(e, ASC_ABSENT, "nothing lists it");
	}
	if (s)
		code_opcodes_fini(&a->opcodes);
	code_opcodes_sort(&a->opcodes);
	return s;
}

enum asc_status code_against_make(const struct code_kernel *first, const struct code_kernel *second,
				  struct code_against *out, struct asc_err *e)
{
	struct code_listing listings[CODE_SIDES] = {{.n = 0}};
	struct asc_err *why = &out->not_compared;

	*out = (struct code_against){.sides = {first, second},
				     .same = *first->runs &&
					     strcmp(first->runs, second->runs) == 0};
	enum asc_status s = first->why.status ? first->why.status : second->why.status;

	if (s) {
		*why = first->why.status ? first->why : second->why;
		return ASC_OK;
	}
	for (size_t i = 0; s == ASC_OK && i < CODE_SIDES; i++)
		s = code_listing_open(out->sides[i]->path, out->sides[i]->entry, &listings[i], why);
	if (s == ASC_OK)
		s = code_difference_make(&listings[0], &listings[1], &out->lines, why);
	why->status = s;
	if (s != ASC_NOMEM)
		s = count_opcodes(out, listings, e);
	for (size_t i = 0; i < CODE_SIDES; i++)
		code_listing_close(&listings[i]);
	return s == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
}

void code_against_fini(struct code_against *a)
{
	code_opcodes_fini(&a->opcodes);
	code_difference_fini(&a->lines);
}

/* ---- JSON ---- */

void code_kernel_write(const struct code_kernel *k, struct json_writer *w)
{
	const struct code_counts *c = &k->counts;
	struct code_figure f;

	if (k->why.status)
		json_write_string(w, "not_counted", k->why.text);
	if (c->capability)
		json_write_int(w, "capability", c->capability);
	if (k->dynamic_bytes > 0)
		json_write_int(w, "dynamic_shared_bytes", k->dynamic_bytes);
	json_write_begin(w, "figures", '{');
	for (size_t at = 0; code_counts_next(c, &at, &f);)
		/* Of what is not counted its bytes alone may be known. */
		if (!k->why.status || (strcmp(f.name, CODE_BYTES) == 0 && f.value > 0))
			json_write_int(w, f.name, f.value);
	json_write_end(w, '}');
}

static void write_opcodes(const struct code_opcodes *o, const char *const sides[CODE_SIDES],
			  struct json_writer *w)
{
	json_write_begin(w, "opcodes", '[');
	for (size_t i = 0; i < o->n; i++) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "name", o->list[i].name);
		for (size_t k = 0; k < CODE_SIDES; k++)
			json_write_int(w, sides[k], o->list[i].n[k]);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void write_lines(const struct code_difference *d, const char *const sides[CODE_SIDES],
			struct json_writer *w)
{
	char name[32];

	json_write_int(w, "same", (int64_t)d->same);
	for (size_t k = 0; k < CODE_SIDES; k++) {
		(void)snprintf(name, sizeof name, "only_%s", sides[k]);
		json_write_int(w, name, (int64_t)(k ? d->added : d->removed));
	}
	json_write_begin(w, "lines", '[');
	for (size_t i = 0; i < d->n && i < CODE_AGAINST_LINES; i++) {
		json_write_begin(w, NULL, '{');
		if (d->list[i].loop)
			json_write_int(w, "loop", d->list[i].loop);
		json_write_string(w, "only", sides[d->list[i].added]);
		json_write_int(w, "times", (int64_t)d->list[i].n);
		json_write_string(w, "text", d->list[i].shape);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

void code_against_write(const struct code_against *a, const char *const sides[CODE_SIDES],
			struct json_writer *w)
{
	json_write_bool(w, "same_code", a->same);
	if (a->opcodes.n > 0)
		write_opcodes(&a->opcodes, sides, w);
	if (a->not_compared.status)
		json_write_string(w, "not_compared", a->not_compared.text);
	else
		write_lines(&a->lines, sides, w);
}
