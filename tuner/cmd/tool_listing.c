#include "tuner/cmd/tool_listing.h"

#include <stdio.h>

#include "tuner/build/builder.h"
#include "tuner/cmd/device_survey.h"
#include "tuner/cmd/listing.h"
#include "tuner/device/vendor.h"

bool tool_counts(const struct probe_ops *ops, size_t k, char *reason, size_t size)
{
	char other[512];
	bool there = false;

	for (size_t i = 0; device_list[i] && !there; i++)
		if (device_survey_check(device_list[i], other, sizeof other))
			there = probe_has(ops, device_list[i]->name, k, reason, size);
	return there;
}

void tool_list_probes(struct listing *l)
{
	for (size_t i = 0; probe_list[i]; i++) {
		const struct probe_ops *ops = probe_list[i];
		char reason[512] = "";
		bool usable = false;

		for (size_t k = 0; ops->metrics[k].name && !usable; k++)
			usable = tool_counts(ops, k, reason, sizeof reason);
		listing_add(l, ops->name, usable, ops->summary, reason);
	}
}

void tool_list_builders(struct listing *l)
{
	for (size_t i = 0; builder_list[i]; i++) {
		const struct builder_ops *b = builder_list[i];
		char text[512], what[768];
		const bool usable = builder_is_usable(b, text, sizeof text);
		const bool compiles = usable && b->command;

		(void)snprintf(what, sizeof what, "%s%s%s", b->summary, compiles ? ": " : "",
			       compiles ? text : "");
		listing_add(l, b->name, usable, what, text);
	}
}

void tool_list_vendors(struct listing *l)
{
	for (size_t i = 0; vendor_list[i]; i++) {
		struct asc_err e = {0};
		const bool usable = vendor_list[i]->open(&e) == ASC_OK;

		listing_add(l, vendor_list[i]->name, usable, vendor_list[i]->summary, e.text);
	}
}
