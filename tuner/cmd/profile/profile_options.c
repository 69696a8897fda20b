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

/* Adds a probe to a list once; false: the list is full. */
static bool add_name(const char **list, const char *name)
{
	size_t i = 0;

	while (list[i] && strcmp(list[i], name) != 0)
		i++;
	if (i == PROFILE_MAX_PROBES)
		return false;
	list[i] = name;
	return true;
}

/* Finds a probe; there is no way back where there is none. */
static const struct probe_ops *find_probe(const struct argp_state *state, const char *name)
{
	const struct probe_ops *ops = probe_find(name);
	const char *names[PROFILE_MAX_PROBES + 1] = {NULL};

	if (ops)
		return ops;
	for (size_t i = 0; probe_list[i] && i < PROFILE_MAX_PROBES; i++)
		names[i] = probe_list[i]->name;
	const char *near = str_nearest(name, names);

	if (near)
		command_refuse(state, "--probe: no probe \"%s\"; did you mean \"%s\"?", name, near);
	command_refuse(state, "--probe: no probe \"%s\"; `asctune list probes` names them", name);
}

void profile_options_add_probes(struct profile_options *o, const struct argp_state *state,
				char *names, const char **enclosing)
{
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		const struct probe_ops *ops = find_probe(state, name);

		if (!ops->replay && !enclosing)
			command_refuse(state,
				       "--probe: %s counts while a run searches (asctune run "
				       "--probe); a profile needs one that launches for itself",
				       name);
		/* What launches for itself waits until the finals are over. */
		if (!add_name(ops->replay ? o->probes : enclosing, ops->name))
			command_refuse(state, "--probe: at most %d probes", PROFILE_MAX_PROBES);
		o->wanted |= ops->replay != NULL;
	}
}

/* True for a probe that replays and counts a metric of the set. */
static bool counts(const struct probe_ops *ops, const struct metric_set *set)
{
	for (size_t i = 0; ops->replay && set->metrics[i]; i++)
		if (strcmp(set->metrics[i]->probe, ops->name) == 0)
			return true;
	return false;
}

/* The file that has a word, which is in no text of the program. */
static const char *find_file(const struct profile_options *o, const char *word)
{
	for (size_t i = o->n_files; i-- > 0;)
		if (strstr(o->texts[i].text, word))
			return o->files[i];
	return "metrics";
}

/* Checks what the book itself does not know: probes, and how their counters are written. */
static enum asc_status check_counters(const struct profile_options *o, struct asc_err *e)
{
	const struct metric_def *m;

	for (size_t i = 0; (m = metric_book_metric(o->book, i)); i++) {
		const struct probe_ops *ops = probe_find(m->probe);

		if (*m->probe && (!ops || !ops->counter))
			return asc_err_set(e, ASC_INPUT,
					   "%s: metric \"%s\": no probe \"%s\" counts",
					   find_file(o, m->probe), m->name, m->probe);
		for (size_t f = 0; ops && ops->parse && f < m->n_families; f++)
			for (size_t k = 0; m->families[f].counters[k]; k++)
				if (ops->parse(m->families[f].counters[k], e))
					return asc_err_wrap(
						e, "%s: metric \"%s\"",
						find_file(o, m->families[f].counters[k]), m->name);
	}
	return ASC_OK;
}

enum asc_status profile_options_open(struct profile_options *o, const char *device,
				     struct profile_wanted *out, struct asc_err *e)
{
	const struct metric_set *set;

	*out = (struct profile_wanted){.set = o->set ? o->set : PROFILE_DEFAULT_SET,
				       .experiments = true,
				       .captures = true};
	for (size_t i = 0; i < o->n_files; i++) {
		const struct buf *text = &o->contents[i];

		if (file_read(o->files[i], MAX_BYTES, &o->contents[i], e))
			return e->status;
		/* Texts end with one. */
		if (strlen(buf_str(text)) < text->len)
			return asc_err_set(e, ASC_INPUT,
					   "%s: byte %zu is NUL, which no text of metrics has",
					   o->files[i], strlen(buf_str(text)) + 1);
		o->texts[i] = (struct metric_text){o->files[i], buf_str(&o->contents[i])};
	}
	if (metric_book_open(o->texts, o->n_files, &o->book, e) || check_counters(o, e) ||
	    metric_book_find_set(o->book, out->set, &set, e))
		return e->status;
	const bool named = o->probes[0] != NULL;

	for (size_t i = 0; !named && probe_list[i]; i++)
		if (counts(probe_list[i], set) && probe_serves(probe_list[i], device))
			(void)add_name(o->probes, probe_list[i]->name);
	out->texts = o->texts;
	out->n_texts = o->n_files;
	out->probes = o->probes;
	return ASC_OK;
}

void profile_options_add_probe(struct profile_options *o, const char *probe,
			       struct profile_wanted *out)
{
	if (!o->wanted)
		*out = (struct profile_wanted){.experiments = true, .captures = true};
	(void)add_name(o->probes, probe);
	out->probes = o->probes;
}

void profile_options_fini(struct profile_options *o)
{
	for (size_t i = 0; i < o->n_files; i++)
		buf_fini(&o->contents[i]);
	metric_book_free(o->book);
	*o = (struct profile_options){0};
}
