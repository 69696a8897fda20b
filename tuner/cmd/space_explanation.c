#include "tuner/cmd/space_explanation.h"

#include <stdio.h>

#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/model/binding_limits.h"
#include "tuner/model/binding_rewrite.h"
#include "tuner/model/space.h"

static enum asc_status explain(const struct space_subject *s, const struct config *c, bool *valid,
			       struct buf *out, struct asc_err *e)
{
	if (space_explain(s->space, c, valid, out, e))
		return e->status;
	if (!s->binding)
		return ASC_OK;
	if (binding_explain_limits(s->binding, s->implementation, c, valid, out, e))
		return e->status;
	return binding_explain_rewrites(s->binding, s->implementation, c, out, e);
}

static enum asc_status print_json(const struct space_subject *s, const struct config *c, bool valid,
				  const char *text, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	enum asc_status status = ASC_OK;
	size_t made;

	json_write_begin(&w, NULL, '{');
	json_write_bool(&w, "valid", valid);
	json_write_string(&w, "explanation", text);
	if (s->binding)
		status = binding_write_rewrites(s->binding, s->implementation, c, "rewrites", &w,
						&made, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		puts(buf_str(&line));
	buf_fini(&line);
	return status;
}

enum asc_status space_explanation_print(const struct space_subject *s, const char *config,
					bool json, bool *valid, struct asc_err *e)
{
	struct config c;
	struct buf text = {0};
	enum asc_status status =
		config_parse(config, space_names(s->space), space_params(s->space), &c, e);

	if (status == ASC_OK)
		status = explain(s, &c, valid, &text, e);
	if (status == ASC_OK && json)
		status = print_json(s, &c, *valid, buf_str(&text), e);
	else if (status == ASC_OK)
		printf("%s%s\n", buf_str(&text), *valid ? "valid" : "not valid");
	buf_fini(&text);
	return status ? asc_err_wrap(e, "--explain") : ASC_OK;
}
