#include "tuner/cmd/profile/profile_options.h"

#include <string.h>

#include "probes/probe.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"

enum { MAX_BYTES = 1 << 20 /* of a file of metrics: ten times those of the program */ };

void profile_options_add_file(struct profile_options *o, const struct argp_state *state,
			      const char *path)
{
	if (o->n_files == PROFILE_MAX_FILES)
		command_refuse(state, "--metrics: at most %d files", PROFILE_MAX_FILES);
	o->files[o->n_files++] = path;
}

/* True for a probe that replays and counts a metric of the set. */
static bool counts(const struct probe_ops *ops, const struct metric_set *set)
{
	for (size_t i = 0; ops->replay && set->metrics[i]; i++)
		if (strcmp(set->metrics[i]->probe, ops->name) == 0)
			return true;
	return false;
}

enum asc_status profile_options_open(struct profile_options *o, const char *device,
				     struct profile_wanted *out, struct asc_err *e)
{
	const struct metric_set *set;

	*out = (struct profile_wanted){.set = o->set ? o->set : PROFILE_DEFAULT_SET,
				       .experiments = true};
	for (size_t i = 0; i < o->n_files; i++) {
		if (file_read(o->files[i], MAX_BYTES, &o->contents[i], e))
			return e->status;
		o->texts[i] = (struct metric_text){o->files[i], buf_str(&o->contents[i])};
	}
	if (metric_book_open(o->texts, o->n_files, &o->book, e) ||
	    metric_book_find_set(o->book, out->set, &set, e))
		return e->status;
	for (size_t i = 0; o->n_probes == 0 && probe_list[i]; i++)
		if (counts(probe_list[i], set) && probe_serves(probe_list[i], device) &&
		    o->n_probes < PROFILE_MAX_PROBES)
			o->probes[o->n_probes++] = probe_list[i]->name;
	out->texts = o->texts;
	out->n_texts = o->n_files;
	out->probes = o->probes;
	return ASC_OK;
}

void profile_options_add_probe(struct profile_options *o, const char *probe,
			       struct profile_wanted *out)
{
	size_t i = 0;

	if (!o->wanted)
		*out = (struct profile_wanted){.experiments = true};
	while (i < o->n_probes && strcmp(o->probes[i], probe) != 0)
		i++;
	if (i == o->n_probes && i < PROFILE_MAX_PROBES)
		o->probes[o->n_probes++] = probe;
	out->probes = o->probes;
}

void profile_options_fini(struct profile_options *o)
{
	for (size_t i = 0; i < o->n_files; i++)
		buf_fini(&o->contents[i]);
	metric_book_free(o->book);
	*o = (struct profile_options){0};
}
