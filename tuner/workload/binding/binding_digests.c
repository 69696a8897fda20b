#include "tuner/workload/binding/binding_digests.h"

#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"

bool binding_has_files(const struct binding *b)
{
	bool found = b->problem->n_sets > 0;

	for (size_t i = 0; i < b->workload->n_tensors && !found; i++)
		found = b->workload->tensors[i].fill.kind == FILL_FILE;
	return found;
}

size_t binding_sets(const struct binding *b)
{
	return b->problem->n_sets ? b->problem->n_sets : 1;
}

size_t binding_digest_place(const struct binding *b, size_t set, size_t i, enum content what)
{
	/* A file of the fill's own is the same in all sets. */
	if (what == CONTENT_BEFORE && b->workload->tensors[i].fill.file)
		set = 0;
	return (set * b->workload->n_tensors + i) * CONTENTS + what;
}

size_t binding_count_digests(const struct binding *b)
{
	return binding_sets(b) * b->workload->n_tensors * CONTENTS;
}

const char *binding_digest(const struct binding *b, size_t set, size_t i, enum content what)
{
	return b->digests ? b->digests[binding_digest_place(b, set, i, what)] : "";
}

void binding_write_digests(const struct binding *b, struct json_writer *w, const char *key)
{
	json_write_begin(w, key, '[');
	for (size_t k = 0; b->digests && k < binding_count_digests(b); k++)
		json_write_string(w, NULL, b->digests[k]);
	json_write_end(w, ']');
}
