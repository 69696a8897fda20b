#include "tuner/cmd/space_overview.h"

#include <stdio.h>

#include "tuner/base/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/space_limits.h"
#include "tuner/cmd/space_rewrites.h"
#include "tuner/model/binding.h"
#include "tuner/model/binding_limits.h"
#include "tuner/model/space.h"

void space_overview_init(struct space_overview *o)
{
	*o = (struct space_overview){0};
	table_init(&o->table, "PROBLEM|IMPLEMENTATION|>PARAMETERS|>CARTESIAN|>VALID");
}

void space_overview_fini(struct space_overview *o)
{
	space_notes_fini(&o->notes);
	buf_fini(&o->refusals);
	table_fini(&o->table);
}

/* NULL of a T1 file. */
static const char *problem_of(const struct space_subject *s)
{
	return s->binding ? s->binding->problem->name : NULL;
}

static const char *implementation_of(const struct space_subject *s)
{
	return s->binding ? s->implementation->name : NULL;
}

enum asc_status space_overview_warn(const struct space_subject *s, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = space_count(s->space) ? space_print_doubts(s->space, &text, e)
						       : space_print_empty(s->space, &text, e);

	if (text.len && s->binding)
		log_print(LOG_WARN, "problem %s: implementation %s: %s", problem_of(s),
			  implementation_of(s), buf_str(&text));
	else if (text.len)
		log_print(LOG_WARN, "%s: %s", s->file, buf_str(&text));
	buf_fini(&text);
	return status;
}

static enum asc_status write_device(const struct space_subject *s, struct json_writer *w,
				    struct asc_err *e)
{
	if (!s->binding)
		return ASC_OK;
	if (space_limits_write(s->binding, s->implementation, w, e))
		return e->status;
	return space_rewrites_write(s->binding, s->implementation, s->space, w, e);
}

#define MAX_EXACT 9007199254740992.0 /* 2^53 */

static void write_cartesian(struct json_writer *w, double n)
{
	if (n <= MAX_EXACT)
		json_write_int(w, "cartesian", (int64_t)n);
	else
		json_write_real(w, "cartesian", n);
}

static enum asc_status print_json(const struct space_subject *s, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "problem", problem_of(s));
	json_write_string(&w, "implementation", implementation_of(s));
	json_write_int(&w, "parameters", (int64_t)space_params(s->space));
	write_cartesian(&w, space_cartesian(s->space));
	json_write_count(&w, "valid", space_count(s->space));
	const enum asc_status status = write_device(s, &w, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		puts(buf_str(&line));
	buf_fini(&line);
	return status;
}

static enum asc_status add_notes(struct space_overview *o, const struct space_subject *s,
				 struct asc_err *e)
{
	struct buf lines = {0};
	enum asc_status status = space_limits_print(s->binding, s->implementation, &lines, e);

	if (status == ASC_OK)
		status = space_rewrites_print(s->binding, s->implementation, s->space, &lines, e);
	if (status == ASC_OK)
		status = space_notes_add(&o->notes, problem_of(s), implementation_of(s),
					 buf_str(&lines), e);
	buf_fini(&lines);
	return status;
}

static enum asc_status add_row(struct space_overview *o, const struct space_subject *s,
			       struct asc_err *e)
{
	table_add(&o->table, "%s", s->binding ? problem_of(s) : "-");
	table_add(&o->table, "%s", s->binding ? implementation_of(s) : "-");
	table_add(&o->table, "%zu", space_params(s->space));
	table_add(&o->table, "%.0f", space_cartesian(s->space));
	table_add(&o->table, "%llu", (unsigned long long)space_count(s->space));
	return s->binding ? add_notes(o, s, e) : ASC_OK;
}

enum asc_status space_overview_add(struct space_overview *o, const struct space_subject *s,
				   bool json, struct asc_err *e)
{
	if (space_overview_warn(s, e))
		return e->status;
	return json ? print_json(s, e) : add_row(o, s, e);
}

enum asc_status space_overview_refuse(struct space_overview *o, const struct binding *b,
				      const struct implementation *i, bool json, struct asc_err *e)
{
	char reason[512] = "", line[sizeof reason + 16];
	bool refused = false;

	if (binding_refused(b, i, &refused, reason, sizeof reason, e))
		return e->status;
	if (!refused)
		return ASC_OK;
	snprintf(line, sizeof line, "refused: %s\n", reason);
	if (!json)
		return space_notes_add(&o->notes, b->problem->name, i->name, line, e);
	space_refusal_write(b, i, reason, &o->refusals);
	return buf_check(&o->refusals, e);
}

enum asc_status space_overview_print(struct space_overview *o, bool json, struct asc_err *e)
{
	struct buf notes = {0};
	enum asc_status status = json ? ASC_OK : table_print(&o->table, stdout, e);

	if (status == ASC_OK)
		status = space_notes_print(&o->notes, &notes, e);
	if (status == ASC_OK)
		printf("%s%s", buf_str(&notes), buf_str(&o->refusals));
	buf_fini(&notes);
	return status;
}
