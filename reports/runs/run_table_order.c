#include "reports/runs/run_table_order.h"

#include <stdlib.h>
#include <string.h>

#include "reports/runs/run_table.h"
#include "tuner/base/value.h"

struct ordered {
	char *text;
	struct value number;
	bool is_number;
	uint16_t was;
};

static int compare_values(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->is_number != y->is_number)
		return x->is_number ? -1 : 1;
	const int order = x->is_number ? value_order(x->number, y->number) : 0;
	return order == 1 || order == -1 ? order : strcmp(x->text, y->text);
}

/* moved[k] becomes where value k now is. */
static bool sort_values(struct run_parameter *p, uint16_t *moved)
{
	struct ordered *list = calloc(p->n_values + 1, sizeof *list);

	if (!list)
		return false;
	for (size_t k = 0; k < p->n_values; k++) {
		struct ordered *o = &list[k];

		*o = (struct ordered){.text = p->values[k], .was = (uint16_t)k};
		o->is_number = value_parse(o->text, strlen(o->text), &o->number);
	}
	qsort(list, p->n_values, sizeof *list, compare_values);
	for (size_t k = 0; k < p->n_values; k++) {
		p->values[k] = list[k].text;
		moved[list[k].was] = (uint16_t)k;
	}
	free(list);
	return true;
}

static void move_picks(struct run_table *t, size_t implementation, size_t parameter,
		       const uint16_t *moved)
{
	for (size_t k = 0; k < t->n; k++) {
		struct run_trial *x = &t->trials[k];
		if (x->implementation != implementation || !x->picks)
			continue;
		uint16_t *pick = &x->picks[parameter];

		if (*pick != RUN_NO_VALUE)
			*pick = moved[*pick];
	}
}

enum asc_status run_table_order(struct run_table *t, struct asc_err *e)
{
	uint16_t *moved = malloc((RUN_NO_VALUE + 1) * sizeof *moved);
	bool fine = moved != NULL;

	for (size_t i = 0; i < t->n_implementations; i++)
		for (size_t p = 0; p < t->implementations[i].n_parameters && fine; p++) {
			fine = sort_values(&t->implementations[i].parameters[p], moved);
			if (fine)
				move_picks(t, i, p, moved);
		}
	free(moved);
	return fine ? ASC_OK : asc_err_nomem(e);
}
