/* Rows read from the database: the best of what was measured, or results that were not measured
 * here: the fastest of imported ones, and the answers on stand-ins of a device. */
#include <math.h>

#include "reports/results/best.h"
#include "reports/results/today.h"
#include "reports/tables/dispatch_data.h"
#include "tuner/base/buf.h"

bool dispatch_is_row_of(const struct dispatch_row *row, const struct db_record *r)
{
	const struct best_row *b = &row->result;

	return str_is_same(b->problem, r->problem) && str_is_same(b->dims_json, r->dims_json) &&
	       str_is_same(b->workload, r->workload) &&
	       str_is_same(b->device_fingerprint, r->device_fingerprint) &&
	       str_is_same(b->cache_policy, r->cache_policy) &&
	       str_is_same(b->implementation, r->implementation);
}

struct best_row dispatch_result_of(const struct db_record *r)
{
	return (struct best_row){.workload = r->workload,
				 .operator_name = r->operator_name,
				 .problem = r->problem,
				 .dims_json = r->dims_json,
				 .device_kind = r->device_kind,
				 .device_model = r->device_model,
				 .device_arch = r->device_arch,
				 .device_fingerprint = r->device_fingerprint,
				 .device_driver = r->device_driver,
				 .clock = r->clock,
				 .cache_policy = r->cache_policy,
				 .implementation = r->implementation,
				 .implementation_index = r->implementation_index,
				 .config_json = r->config_json,
				 .config_key = r->config_key,
				 .recorded_at = r->recorded_at,
				 .run_id = r->run_id,
				 .trial_id = r->trial_id,
				 .n_samples = r->n_samples,
				 .median_ns = r->median_ns,
				 .q1_ns = r->q1_ns,
				 .q3_ns = r->q3_ns,
				 .min_ns = r->min_ns,
				 .max_ns = r->max_ns,
				 .low_ns = r->low_ns,
				 .high_ns = r->high_ns,
				 .max_abs_error = r->max_abs_error,
				 .export_json = r->export_json};
}

/* Adds the fastest of a row's imported records, which come ordered by problem, device, cache policy
 * and implementation. */
static enum asc_status add_imported(void *user, const struct db_record *r, struct asc_err *e)
{
	struct dispatch *t = user;
	struct dispatch_row *last = t->n_rows > 0 ? &t->rows[t->n_rows - 1] : NULL;
	const struct best_row result = dispatch_result_of(r);

	if (!r->imported || !str_is_same(r->status, "ok") || isnan(r->median_ns))
		return ASC_OK;
	if (last && dispatch_is_row_of(last, r)) {
		if (last->result.median_ns <= r->median_ns)
			return ASC_OK;
		t->n_rows--;
	}
	return dispatch_add(t, &result, true, e);
}

static enum asc_status add_standin(void *user, const struct best_row *result, struct asc_err *e)
{
	return dispatch_add(user, result, true, e);
}

/* Adds the fastest imported configuration of each problem, device and implementation, and the
 * answers to these on stand-ins. */
static enum asc_status read_simulated(struct dispatch *t, struct db *d, struct asc_err *e)
{
	const struct db_records which = {.simulated = true, .newest = true};

	if (today_each_record(d, &which, add_imported, t, e))
		return e->status;
	return best_each_simulated_of_implementations(d, NULL, add_standin, t, e);
}

static enum asc_status add_measured(void *user, const struct best_row *result, struct asc_err *e)
{
	return dispatch_add(user, result, false, e);
}

enum asc_status dispatch_read(struct dispatch *t, struct db *d, enum dispatch_source source,
			      struct asc_err *e)
{
	t->simulated = source == DISPATCH_SIMULATED;
	if (t->simulated)
		return read_simulated(t, d, e);
	if (source == DISPATCH_COMPARED)
		return best_each_compared(d, add_measured, t, e);
	return source == DISPATCH_BEST ? best_each(d, NULL, add_measured, t, e)
				       : best_each_of_implementations(d, NULL, add_measured, t, e);
}
