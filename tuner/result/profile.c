#include "tuner/result/profile.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/names.h"

static const char *const labels[] = {LABEL_LIST(NAME_OF_THREE)};
static const char *const meanings[] = {LABEL_LIST(MEANING_OF_THREE)};
static const char *const bases[] = {LABEL_BASIS_LIST(NAME_OF)};

const char *label_name(enum label l)
{
	return labels[l];
}

const char *label_meaning(enum label l)
{
	return meanings[l];
}

bool label_parse(const char *name, enum label *out)
{
	size_t value;

	if (!name_find(labels, LABEL_COUNT, name, &value))
		return false;
	*out = (enum label)value;
	return true;
}

const char *label_basis_name(enum label_basis b)
{
	return bases[b];
}

bool label_basis_parse(const char *name, enum label_basis *out)
{
	size_t value;

	if (!name_find(bases, LABEL_BASIS_COUNT, name, &value))
		return false;
	*out = (enum label_basis)value;
	return true;
}

void profile_fini(struct profile *p)
{
	free(p->sentence);
	free(p->failure);
	metrics_free(p->readings, p->n_readings);
	*p = (struct profile){0};
}

const struct metric *profile_find(const struct profile *p, const char *name)
{
	const size_t i = metrics_find(p->readings, p->n_readings, NULL, name);

	return i < p->n_readings ? &p->readings[i] : NULL;
}

double profile_value(const struct profile *p, const char *name)
{
	const struct metric *m = profile_find(p, name);

	return m && !m->reason ? m->value : NAN;
}
