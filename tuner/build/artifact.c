#include "tuner/build/artifact.h"

#include <stdlib.h>

#include "tuner/base/names.h"

static const char *const names[] = {ARTIFACT_OUTCOME_LIST(NAME_OF_THREE)};

void artifact_fini(struct artifact *a)
{
	free(a->path);
	free(a->metadata);
	*a = (struct artifact){0};
}

const char *artifact_outcome_name(enum artifact_outcome o)
{
	return names[o];
}

bool artifact_outcome_parse(const char *name, enum artifact_outcome *out)
{
	size_t value;

	if (!name_find(names, sizeof names / sizeof *names, name, &value))
		return false;
	*out = (enum artifact_outcome)value;
	return true;
}
