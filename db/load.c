#include "db/load.h"

#include "db/connection.h"
#include "db/sql.h"

static void begin_of_subject(struct statement *s, struct db *d, const char *sql, int64_t device_id,
			     int64_t problem_id)
{
	statement_begin(s, d, sql);
	statement_set_int(s, ":device_id", device_id);
	statement_set_int(s, ":problem_id", problem_id);
}

void load_subject_of(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, sql_load_subject_of);
	statement_set_int(s, ":run_id", run_id);
}

void load_names(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_names, device_id, problem_id);
}

void load_participants(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_participants, device_id, problem_id);
}

void load_runs(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_runs, device_id, problem_id);
}

void load_trials(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_trials, device_id, problem_id);
}

void load_tried(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_tried, device_id, problem_id);
}

void load_finals(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_finals, device_id, problem_id);
}

void load_energies(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_energies, device_id, problem_id);
}

void load_energy_subjects(struct statement *s, struct db *d, const char *workload)
{
	statement_begin(s, d, sql_load_energy_subjects);
	statement_set_text(s, ":workload", workload);
}

void load_suspects(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_load_suspects);
}

void load_suspects_of(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, sql_load_suspects_of);
	statement_set_int(s, ":run_id", run_id);
}

void load_later_pass(struct statement *s, struct db *d, const struct load_later_than *than)
{
	begin_of_subject(s, d, sql_load_later_pass, than->device_id, than->problem_id);
	statement_set_int(s, ":implementation_id", than->implementation_id);
	statement_set_int(s, ":config_hash", than->config_hash);
	statement_set_text(s, ":config_key", than->config_key);
	statement_set_int(s, ":recorded_ms", than->recorded_ms);
	statement_set_int(s, ":id", than->id);
}

void load_contents(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_load_contents);
}

void load_failure(struct statement *s, struct db *d, int64_t trial_id)
{
	statement_begin(s, d, sql_load_failure);
	statement_set_int(s, ":trial_id", trial_id);
}

void load_implementation(struct statement *s, struct db *d, int64_t id)
{
	statement_begin(s, d, sql_load_implementation);
	statement_set_int(s, ":id", id);
}

void load_facts(struct statement *s, struct db *d, const struct load_facts_of *of)
{
	statement_begin(s, d, sql_load_facts);
	statement_set_int(s, ":trial_id", of->trial_id);
	statement_set_int(s, ":device_id", of->device_id);
	statement_set_int(s, ":problem_id", of->problem_id);
	statement_set_int(s, ":final_run_id", of->final_run_id);
	statement_set_text(s, ":ties_json", of->ties_json);
}
