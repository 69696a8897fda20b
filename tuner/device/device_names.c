#include "tuner/device/device_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

/* Adds kind and place as one device. */
static enum asc_status add(struct device_names *d, const char *kind, const char *place,
			   struct asc_err *e)
{
	struct device_name *more = reallocarray(d->list, d->n + 1, sizeof *more);

	if (!more)
		return asc_err_nomem(e);
	d->list = more;
	if (d->n == DEVICE_NAMES_MAX)
		return asc_err_set(e, ASC_USAGE, "more than %d devices", DEVICE_NAMES_MAX);
	(void)snprintf(d->list[d->n].text, DEVICE_NAME_SIZE, "%s%s%s", kind, *place ? ":" : "",
		       place);
	d->n++;
	return ASC_OK;
}

/* Reads a device's number: digits alone. Numbers are written in one way, so that equal ones are
 * seen. */
static bool print_number(const char *digits, char text[DEVICE_PLACE_SIZE])
{
	const size_t n = strlen(digits);

	if (n == 0 || n > 4 || strspn(digits, "0123456789") != n)
		return false;
	(void)snprintf(text, DEVICE_PLACE_SIZE, "%ld", strtol(digits, NULL, 10));
	return true;
}

/* Reads one element: "cuda:1", "cuda", a number behind one of the kind. */
static enum asc_status take(struct device_names *d, const char *element, const char **kind,
			    struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE];
	char number[DEVICE_PLACE_SIZE];

	if (*kind && print_number(element, number))
		return add(d, *kind, number, e);
	if (device_parse(element, &ops, place, e))
		return e->status;
	if (!ops)
		return asc_err_set(e, ASC_USAGE, "auto is one device: name the others' kind");
	if (*kind && strcmp(*kind, ops->name) != 0)
		return asc_err_set(e, ASC_USAGE,
				   "devices of two kinds, %s and %s: a run is for one", *kind,
				   ops->name);
	*kind = ops->name;
	if (strcmp(place, "all") == 0)
		return asc_err_set(e, ASC_USAGE, "%s:all stands alone", *kind);
	/* The first of those that have numbers; a processor has none. */
	if (!*place && ops->count)
		(void)snprintf(place, sizeof place, "0");
	else if (print_number(place, number))
		memcpy(place, number, sizeof place);
	return add(d, *kind, place, e);
}

/* The processors of a machine are one device, which its kernels share out by themselves. */
static enum asc_status fail_cpu(struct asc_err *e)
{
	return asc_err_set(e, ASC_USAGE, "the cpu is one device; cuda and npu may have several");
}

static enum asc_status take_all(struct device_names *d, const struct device_ops *ops,
				device_count_fn *count, struct asc_err *e)
{
	const int n = count(ops);
	char place[16];

	if (strcmp(ops->name, "cpu") == 0)
		return fail_cpu(e);
	if (n < 1)
		return asc_err_set(e, ASC_ABSENT,
				   "no %s is usable here; `%s list devices` says why", ops->name,
				   shell_program());
	for (int i = 0; i < n; i++) {
		(void)snprintf(place, sizeof place, "%d", i);
		if (add(d, ops->name, place, e))
			return e->status;
	}
	return ASC_OK;
}

/* Gives each device a name that no other has, or refuses one that is named twice. */
static enum asc_status tell_apart(struct device_names *d, bool twice, struct asc_err *e)
{
	for (size_t i = 0; i < d->n; i++) {
		struct device_name *a = &d->list[i];
		size_t before = 0, all = 0;

		for (size_t k = 0; k < d->n; k++) {
			const bool same = strcmp(d->list[k].text, a->text) == 0;

			before += same && k < i;
			all += same;
		}
		if (all > 1 && !twice && !strstr(a->text, ":sim:"))
			return asc_err_set(e, ASC_USAGE, "%s is named twice", a->text);
		if (all > 1)
			(void)snprintf(a->shown, sizeof a->shown, "%.*s#%zu",
				       (int)sizeof a->shown - 8, a->text, before + 1);
		else
			(void)snprintf(a->shown, sizeof a->shown, "%s", a->text);
	}
	return ASC_OK;
}

bool device_names_are_several(const char *text)
{
	const char *colon = strchr(text, ':');

	return strchr(text, ',') || (colon && strcmp(colon, ":all") == 0);
}

enum asc_status device_names_refuse(const char *text, struct asc_err *e)
{
	if (strcmp(text, "cpu:all") == 0)
		(void)fail_cpu(e);
	else
		(void)asc_err_set(e, ASC_USAGE, "several devices are for `asctune run`: name one");
	return asc_err_wrap(e, "--device %s", text);
}

enum asc_status device_names_parse(const char *text, device_count_fn *count, bool twice,
				   struct device_names *out, struct asc_err *e)
{
	char *copy = str_dup(text), *rest = copy;
	const struct device_ops *ops = NULL;
	char place[DEVICE_PLACE_SIZE] = "";
	const char *kind = NULL;
	enum asc_status s = ASC_OK;

	*out = (struct device_names){0};
	if (!copy)
		return asc_err_nomem(e);
	if (!device_names_are_several(text)) {
		s = add(out, text, "", e); /* what it means is found when it is opened */
	} else if (strchr(text, ',')) {
		while (s == ASC_OK && rest)
			s = take(out, strsep(&rest, ","), &kind, e);
	} else {
		s = device_parse(text, &ops, place, e);
		if (s == ASC_OK)
			s = take_all(out, ops, count, e);
	}
	if (s == ASC_OK)
		s = tell_apart(out, twice, e);
	free(copy);
	if (s) {
		device_names_fini(out);
		(void)asc_err_wrap(e, "--device %s", text);
	}
	return s;
}

void device_names_fini(struct device_names *d)
{
	free(d->list);
	*d = (struct device_names){0};
}
