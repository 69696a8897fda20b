/* Faults of a document, gathered while its readers go on behind them. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/json/json_node.h"

struct json_fault {
	const struct json_node *place; /* nodes lie in the order of the text */
	size_t number;
	char *text;
};

void json_free_faults(struct json_doc *doc)
{
	for (size_t i = 0; i < doc->n_faults; i++)
		free(doc->faults[i].text);
	free(doc->faults);
}

static bool is_value(const struct json_node *n)
{
	return n->type != JSON_ARRAY && n->type != JSON_OBJECT;
}

static bool is_noted(const struct json_node *place, const char *text)
{
	const struct json_doc *doc = place->doc;

	for (size_t i = 0; i < doc->n_faults; i++)
		if (doc->faults[i].place == place && strcmp(doc->faults[i].text, text) == 0)
			return true;
	return false;
}

void json_mark_faulty(const struct json_node *n)
{
	struct json_node *nodes = n->doc->nodes;

	if (!n->doc->gathers)
		return;
	nodes[n - nodes].faulty = true;
	for (; n; n = n->parent)
		nodes[n - nodes].unsound = true;
}

enum asc_status json_note(const struct json_node *n, const struct json_node *place,
			  struct asc_err *e)
{
	struct json_doc *doc = n->doc;

	/* A value that is wrong has one fault: what else is said of it follows from the first. */
	if (!doc->gathers || doc->n_faults == JSON_MAX_FAULTS || (is_value(n) && n->faulty) ||
	    is_noted(place, e->text))
		return e->status;
	char *text = str_dup(e->text);

	if (!text ||
	    !array_room(&doc->faults, doc->n_faults, &doc->faults_room, sizeof *doc->faults)) {
		free(text);
		return asc_err_nomem(e);
	}
	doc->faults[doc->n_faults] = (struct json_fault){place, doc->n_faults, text};
	doc->n_faults++;
	json_mark_faulty(place);
	return e->status;
}

bool json_ends(const struct json_node *n, enum asc_status s)
{
	return s != ASC_OK &&
	       (s != ASC_INPUT || !n->doc->gathers || n->doc->n_faults == JSON_MAX_FAULTS);
}

bool json_is_faulty(const struct json_node *n)
{
	return n->faulty;
}

bool json_is_sound(const struct json_node *n)
{
	return !n->unsound;
}

bool json_has_stray(const struct json_node *n)
{
	const struct json_node *member = n->first;

	while (member && !member->stray)
		member = member->next;
	return member != NULL;
}

static int compare_places(const void *a, const void *b)
{
	const struct json_fault *one = a, *two = b;

	if (one->place != two->place)
		return one->place < two->place ? -1 : 1;
	return one->number < two->number ? -1 : 1;
}

size_t json_end_gathering(struct json_doc *doc)
{
	if (doc->n_faults > 1)
		qsort(doc->faults, doc->n_faults, sizeof *doc->faults, compare_places);
	doc->gathers = false;
	return doc->n_faults;
}

const char *json_fault_text(const struct json_doc *doc, size_t i)
{
	return doc->faults[i].text;
}
