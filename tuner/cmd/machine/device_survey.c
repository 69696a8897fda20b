#include "tuner/cmd/machine/device_survey.h"

#include <stdio.h>

#include "tuner/process/proc_apart.h"

static void survey_device(const struct device_ops *ops, int number,
			  struct device_survey_device *out)
{
	struct device_info info = {0};
	struct asc_err e;
	char place[DEVICE_PLACE_SIZE];

	(void)snprintf(place, sizeof place, "%d", number);
	if (ops->inspect(place, &info, &e))
		(void)snprintf(out->reason, sizeof out->reason, "%s", e.text);
	else
		(void)snprintf(out->model, sizeof out->model, "%s", info.model);
}

/* A proc_apart_fn. */
static enum asc_status survey(const void *question, void *answer, struct asc_err *e)
{
	const struct device_ops *ops = question;
	struct device_survey *out = answer;

	(void)e;
	if (!ops->check(out->reason, sizeof out->reason))
		return ASC_OK;
	out->reason[0] = '\0';
	out->count = ops->count();
	for (int i = 0; i < out->count && i < DEVICE_SURVEY_MOST; i++)
		survey_device(ops, i, &out->devices[i]);
	return ASC_OK;
}

const struct device_survey *device_survey(const struct device_ops *ops)
{
	enum { KINDS = 8 };
	static struct {
		const struct device_ops *ops;
		struct device_survey found;
	} asked[KINDS];
	size_t i = 0;
	struct asc_err e;

	while (i < KINDS - 1 && asked[i].ops && asked[i].ops != ops)
		i++;
	if (asked[i].ops == ops)
		return &asked[i].found;
	asked[i].ops = ops;
	asked[i].found = (struct device_survey){0};
	if (proc_apart(survey, ops, &asked[i].found, sizeof asked[i].found, PROC_APART_DRIVER_NS,
		       &e)) {
		(void)asc_err_wrap(&e, "its driver cannot be opened");
		(void)snprintf(asked[i].found.reason, sizeof asked[i].found.reason, "%s", e.text);
	}
	return &asked[i].found;
}

bool device_survey_check(const struct device_ops *ops, char *reason, size_t size)
{
	const struct device_survey *s = device_survey(ops);

	(void)snprintf(reason, size, "%s", s->reason);
	return !*s->reason;
}
