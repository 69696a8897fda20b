#include "tuner/cmd/run/run_known.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/tables/reader_set.h"
#include "reports/tables/readers/reader.h"
#include "reports/track/track_history.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/target.h"
#include "tuner/workload/workload.h"

enum asc_status run_known_open(const struct run_options *o, struct run_known *k, struct asc_err *e)
{
	const struct track_choice all = {0};

	if (!o->known)
		return ASC_OK;
	enum asc_status status = db_open(o->known, DB_READ, &k->db, e);

	if (status == ASC_OK)
		status = track_history_read(k->db, &all, 1, &k->history, e);
	if (status == ASC_OK)
		status = track_history_follow(k->history, k->db, e);
	/* A file that is not there is a typing error. A database that is broken, or newer than this
	 * program, is a reason to search without it, not to measure nothing tonight. */
	if (status == ASC_OK || status == ASC_NOTFOUND || status == ASC_NOMEM)
		return status;
	log_print(LOG_WARN, "--known: begins without: %s", e->text);
	run_known_close(k);
	return ASC_OK;
}

static void forget_texts(struct run_known *k)
{
	for (size_t i = 0; i < k->n_texts; i++)
		free(k->texts[i]);
	k->n_texts = 0;
}

void run_known_close(struct run_known *k)
{
	forget_texts(k);
	free(k->texts);
	track_history_free(k->history);
	db_close(k->db);
	free(k->list);
	*k = (struct run_known){0};
}

static enum asc_status add(struct run_known *k, const char *implementation, const char *config,
			   struct asc_err *e)
{
	if (!config)
		return ASC_OK;
	if (!array_room(&k->list, k->n, &k->room, sizeof *k->list))
		return asc_err_nomem(e);
	k->list[k->n++] = (struct loop_given){implementation, config};
	return ASC_OK;
}

/* ---- tables of libraries ---- */

/* A problem as a library asks for it. */
struct asked {
	const struct reader_ops *reader;
	struct library_names names;
	struct rule_size sizes[RULE_MAX_SIZES];
	bool truths[RULE_MAX_SIZES];
	struct asctune_type types[RULE_MAX_TYPES];
	struct reader_problem problem;
};

/* The dimension or type that a library calls by the name; the name itself without a list of names.
 */
static const char *own_name(const struct json_node *names, const char *name)
{
	const struct json_node *n = names ? json_find(names, name) : NULL;
	struct asc_err ignored;

	return n && json_get_string(n, &name, &ignored) ? "" : name;
}

static void ask_size(struct asked *a, const struct problem *p, const char *name, const char *own)
{
	for (size_t i = 0; i < p->n_dims && a->problem.n_sizes < RULE_MAX_SIZES; i++) {
		const struct value v = p->dims[i].value;

		if (strcmp(p->dims[i].name, own) != 0 ||
		    (v.kind != VALUE_INT && v.kind != VALUE_BOOL))
			continue;
		a->truths[a->problem.n_sizes] = v.kind == VALUE_BOOL;
		a->sizes[a->problem.n_sizes++] = (struct rule_size){name, v.i, v.i};
	}
}

static void ask_type(struct asked *a, const struct problem *p, const char *name, const char *own)
{
	const char *type = own;

	for (size_t i = 0; i < p->n_dtypes; i++)
		if (strcmp(p->dtypes[i].name, own) == 0)
			type = dtype_name(p->dtypes[i].dtype);
	if (a->problem.n_types < RULE_MAX_TYPES)
		a->types[a->problem.n_types++] = (struct asctune_type){name, type};
}

/* Asks for a problem as a library does: the names of its "export", or the workload's own. */
static void ask(struct asked *a, const struct problem *p, const char *device)
{
	a->problem = (struct reader_problem){.kernel = a->names.op,
					     .device = device,
					     .sizes = a->sizes,
					     .truths = a->truths,
					     .types = a->types};
	for (const struct json_node *n = a->names.sizes ? json_first(a->names.sizes) : NULL; n;
	     n = json_next(n))
		ask_size(a, p, json_key(n), own_name(a->names.sizes, json_key(n)));
	for (size_t i = 0; i < p->n_dims && !a->names.sizes; i++)
		ask_size(a, p, p->dims[i].name, p->dims[i].name);
	for (const struct json_node *n = a->names.types ? json_first(a->names.types) : NULL; n;
	     n = json_next(n))
		ask_type(a, p, json_key(n), own_name(a->names.types, json_key(n)));
	for (size_t i = 0; i < p->n_dtypes && !a->names.types; i++)
		ask_type(a, p, p->dtypes[i].name, p->dtypes[i].name);
}

/* Adds a configuration for an implementation: those of its parameters that the table has. */
static enum asc_status add_config(struct run_known *k, const struct asked *a,
				  const struct implementation *i, const struct reader_config *c,
				  struct asc_err *e)
{
	char value[VALUE_TEXT_MAX + 1];
	struct buf text = {0};

	for (size_t n = 0; n < c->n; n++) {
		const char *own = own_name(a->names.parameters, c->list[n].name);

		for (size_t m = 0; m < i->n_parameters; m++)
			if (strcmp(i->parameters[m].name, own) == 0) {
				(void)value_print(c->list[n].value, value, sizeof value);
				buf_print(&text, "%s%s=%s", text.len > 0 ? "," : "", own, value);
			}
	}
	char *key = buf_take(&text);

	if (!key || !array_room(&k->texts, k->n_texts, &k->texts_room, sizeof *k->texts)) {
		free(key);
		return asc_err_nomem(e);
	}
	k->texts[k->n_texts++] = key;
	return add(k, i->name, key, e);
}

/* Adds what a library takes for the problem from the imported file for whose name it asks. */
static enum asc_status add_row(struct run_known *k, struct db *d, const struct asked *a,
			       const struct workload *w, struct asc_err *e)
{
	struct reader_table table = {0};
	struct buf file = {0}, key = {0};
	struct asc_err unasked;

	/* An import does not keep the folder, which alone depends on Triton's version. */
	if (reader_check_problem(a->reader, &a->problem, &unasked) == ASC_OK &&
	    a->reader->name_file(&a->problem, "0", &file, &unasked) == ASC_OK)
		(void)a->reader->print_key(a->reader, &a->problem, &key, &unasked);
	enum asc_status status = file.failed || key.failed ? asc_err_nomem(e) : ASC_OK;

	if (status == ASC_OK && key.len > 0)
		status = reader_read_imported(d, a->reader, buf_str(&file), &table, e);
	const size_t row = key.len > 0 ? a->reader->find(&table, buf_str(&key)) : READER_OWN;

	for (size_t i = 0; i < w->n_implementations && row != READER_OWN && status == ASC_OK; i++)
		status = add_config(k, a, &w->implementations[i], &table.rows[row].config, e);
	reader_table_fini(&table);
	buf_fini(&file);
	buf_fini(&key);
	return status;
}

static enum asc_status add_tables(struct run_known *k, const char *path, const char *device,
				  const struct workload *w, const struct problem *p,
				  struct asc_err *e)
{
	struct db *d = NULL;
	struct asc_err unread;
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = w->exports ? json_first(w->exports) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		struct asked a = {0};

		if (library_names_read(n, &a.names, e))
			return e->status;
		a.reader = reader_find_operator(json_key(n), a.names.op);
		/* A database that is new, or that cannot be read, is the run's to make or report.
		 */
		if (!a.reader ||
		    (!d && (!file_exists(path) || db_open(path, DB_READ, &d, &unread))))
			continue;
		ask(&a, p, device);
		status = add_row(k, d, &a, w, e);
	}
	db_close(d);
	return status;
}

enum asc_status run_known_find(struct run_known *k, const struct run_session *on,
			       const struct run_options *o, const struct workload *w,
			       const struct problem *p, struct asc_err *e)
{
	const struct track_kernel kernel = {.device_kind = on->target.ops->name,
					    .device_model = on->target.info.model,
					    .machine = on->target.info.machine,
					    .workload = w->name,
					    .problem = p->name,
					    .cache = cache_policy_name(on->session.policy.cache)};
	enum asc_status status = ASC_OK;

	k->n = 0;
	forget_texts(k);
	if (!o->no_history && !o->config)
		status = add_tables(k, command_db_path(o->db), on->target.info.model, w, p, e);
	for (size_t i = 0; status == ASC_OK && k->history && i < k->history->n; i++) {
		const struct track_series *s = &k->history->list[i];

		if (s->n == 0 || !track_kernel_has(&kernel, s))
			continue;
		const struct track_point *newest = &track_history_points(k->history, i)[s->n - 1];

		/* The best on record and last night's winner: they differ while the finals have not
		 * shown that the winner is faster. */
		status = add(k, s->implementation, newest->config, e);
		if (status == ASC_OK)
			status = add(k, s->implementation, newest->won, e);
	}
	return status;
}
