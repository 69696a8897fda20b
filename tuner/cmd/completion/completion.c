#include "tuner/cmd/completion/completion.h"

#include <string.h>

#include "probes/probe.h"
#include "reports/exchange/exporter_list.h"
#include "reports/exchange/importer.h"
#include "tuner/device/device.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/rewrite.h"

const char *completion_paths_name(enum completion_paths p)
{
	static const char *const names[] = {"none", "files", "workloads", "folders", "programs"};

	return names[p];
}

/* ---- names of lists ---- */

static bool has_word(const struct buf *words, const char *word, size_t n)
{
	const char *at = buf_str(words);

	for (size_t length; *at; at += length + (at[length] == ' ')) {
		length = strcspn(at, " ");
		if (length == n && strncmp(at, word, n) == 0)
			return true;
	}
	return false;
}

static void add_word(struct buf *out, const char *word, size_t n)
{
	if (has_word(out, word, n)) /* of a list and of a usage */
		return;
	if (out->len > 0)
		buf_add_char(out, ' ');
	buf_add(out, word, n);
}

static void add_name(struct buf *out, const char *name)
{
	add_word(out, name, strlen(name));
}

static void add_devices(struct buf *out)
{
	add_name(out, "auto");
	for (size_t i = 0; device_list[i]; i++)
		add_name(out, device_list[i]->name);
}

static void add_strategies(struct buf *out)
{
	add_name(out, "auto");
	for (size_t i = 0; strategy_list[i]; i++)
		add_name(out, strategy_list[i]->name);
}

static void add_rewrites(struct buf *out)
{
	add_name(out, "all");
	for (size_t i = 0; rewrite_list[i]; i++)
		add_name(out, rewrite_list[i]->name);
}

static void add_probes(struct buf *out)
{
	for (size_t i = 0; probe_list[i]; i++)
		add_name(out, probe_list[i]->name);
}

static void add_exporters(struct buf *out)
{
	for (size_t i = 0; exporter_list[i]; i++)
		add_name(out, exporter_list[i]->name);
}

static void add_importers(struct buf *out)
{
	for (size_t i = 0; importer_list[i]; i++)
		add_name(out, importer_list[i]->name);
}

/* ---- what a text stands for ---- */

static const struct {
	const char *text;
	enum completion_paths value, argument; /* as an option's value; as an argument */
	void (*add_value)(struct buf *out);    /* NULL: no words */
	void (*add_argument)(struct buf *out);
} meanings[] = {
	{"FILE", PATHS_ANY, PATHS_WORKLOADS, NULL, NULL},
	{"FILE.svg", PATHS_ANY, PATHS_ANY, NULL, NULL},
	{"FILE...", PATHS_ANY, PATHS_ANY, NULL, NULL},
	{"DB...", PATHS_ANY, PATHS_ANY, NULL, NULL},
	{"FILE|FOLDER", PATHS_WORKLOADS, PATHS_WORKLOADS, NULL, NULL},
	{"FILE|FOLDER...", PATHS_WORKLOADS, PATHS_WORKLOADS, NULL, NULL},
	{"FOLDER", PATHS_FOLDERS, PATHS_FOLDERS, NULL, NULL},
	{"DIR", PATHS_FOLDERS, PATHS_FOLDERS, NULL, NULL},
	{"SIDE", PATHS_ANY, PATHS_ANY, NULL, NULL},
	{"PROGRAM", PATHS_PROGRAMS, PATHS_PROGRAMS, NULL, NULL},
	{"DEVICE", PATHS_NONE, PATHS_NONE, add_devices, add_devices},
	{"STRATEGY", PATHS_NONE, PATHS_NONE, add_strategies, add_strategies},
	{"REWRITE", PATHS_NONE, PATHS_NONE, add_rewrites, add_rewrites},
	{"PROBE,...", PATHS_NONE, PATHS_NONE, add_probes, add_probes},
	{"FORMAT", PATHS_NONE, PATHS_NONE, add_importers, add_exporters},
};

/* Adds the parts of `A|B|c` that are words themselves: they have no capital. */
static void add_alternatives(const char *text, size_t n, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	for (size_t at = 0, length; at < n; at += length + 1) {
		length = strcspn(text + at, "|");
		if (length > n - at)
			length = n - at;
		if (length > 0 && strspn(text + at, plain) >= length)
			add_word(out, text + at, length);
	}
}

static void add_meaning(const char *text, size_t n, bool argument, struct completion *out)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		if (strlen(meanings[i].text) != n || strncmp(meanings[i].text, text, n) != 0)
			continue;
		const enum completion_paths paths =
			argument ? meanings[i].argument : meanings[i].value;
		void (*add)(struct buf *) =
			argument ? meanings[i].add_argument : meanings[i].add_value;

		/* One argument with paths among several is enough: no shell knows which is typed.
		 */
		if (paths != PATHS_NONE)
			out->paths = paths;
		if (add)
			add(&out->words);
		return;
	}
	add_alternatives(text, n, &out->words);
}

void completion_find_value(const struct argp_option *o, struct completion *out)
{
	*out = (struct completion){0};
	if (o->arg)
		add_meaning(o->arg, strlen(o->arg), false, out);
}

/* Adds the arguments of one line of a usage, "FORMAT [FILE]", up to its first option. */
static void add_line(const char *line, size_t n, struct completion *out)
{
	for (size_t at = 0, length; at < n; at += length + 1) {
		length = strcspn(line + at, " \n");
		size_t begin = line[at] == '[', end = length;

		if (line[at + begin] == '-') /* an option has a value of its own */
			return;
		end -= end > begin && line[at + end - 1] == ']';
		if (end > begin)
			add_meaning(line + at + begin, end - begin, true, out);
	}
}

void completion_find_arguments(const struct argp *a, struct completion *out)
{
	*out = (struct completion){0};
	for (const char *line = a->args_doc; line && *line;) {
		const size_t n = strcspn(line, "\n");

		add_line(line, n, out);
		line += n + (line[n] == '\n');
	}
}

void completion_take_words(struct completion *c, const char *before, struct buf *out)
{
	if (c->words.len > 0)
		buf_print(out, "%s%s", before, buf_str(&c->words));
	out->failed |= c->words.failed;
	buf_fini(&c->words);
}

bool completion_has_letter(const struct argp_option *o)
{
	return o->key > ' ' && o->key < 0x7F;
}

size_t completion_clause(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != ';' && strncmp(text + n, ": ", 2) != 0 &&
	       strncmp(text + n, " (", 2) != 0)
		n++;
	return n;
}
