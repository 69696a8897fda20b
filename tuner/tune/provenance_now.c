#include "tuner/tune/provenance_now.h"

#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

static enum asc_status parse(const char *name, const char *text, struct json_doc **doc,
			     const struct json_node **out, struct asc_err *e)
{
	if (text && json_open_text(name, text, strlen(text), doc, e))
		return e->status;
	*out = text ? json_root(*doc) : NULL;
	return ASC_OK;
}

enum asc_status provenance_now_open(struct provenance_now *p, const struct loop_options *o,
				    struct asc_err *e)
{
	const struct device_info *info = o->session->target.info;

	if (loop_bind(o, true, &p->binding, e) ||
	    impl_searches_open(o, &p->binding, &p->searches, e))
		return e->status;
	const struct impl_search *search = &p->searches.list[0];

	p->made = (struct provenance){.device_model = info->model,
				      .device_driver = info->driver,
				      .device_arch = info->arch,
				      .device_fingerprint = info->fingerprint,
				      .toolchain = search->toolchain,
				      .version = o->version,
				      .workload_file = o->workload->path,
				      .workload_hash = o->workload->hash,
				      .problem_key = p->binding.key,
				      .implementation_key = search->key};
	if (parse("options", search->options, &p->options, &p->made.options, e))
		return e->status;
	return parse("sources", search->sources, &p->sources, &p->made.sources, e);
}

void provenance_now_close(struct provenance_now *p)
{
	json_close(p->options);
	json_close(p->sources);
	impl_searches_close(&p->searches);
	binding_fini(&p->binding);
}
