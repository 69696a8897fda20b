/* The text of each file db/sql/FOLDER/NAME.sql, one statement with named parameters, which the
 * build makes part of the program as sql_NAME. */
#ifndef ASCTUNE_DB_SQL_H
#define ASCTUNE_DB_SQL_H

/* load/ */
extern const char sql_load_answers[];
extern const char sql_load_answers_of[];
extern const char sql_load_facts[];
extern const char sql_load_finals[];
extern const char sql_load_implementation[];
extern const char sql_load_names[];
extern const char sql_load_participants[];
extern const char sql_load_peaks[];
extern const char sql_load_runs[];
extern const char sql_load_space_counts[];
extern const char sql_load_stale[];
extern const char sql_load_stale_of[];
extern const char sql_load_subject_of[];
extern const char sql_load_trials[];

/* record/ */
extern const char sql_add_answer[];
extern const char sql_add_final[];
extern const char sql_add_implementation[];
extern const char sql_add_metric[];
extern const char sql_add_metric_name[];
extern const char sql_add_participant[];
extern const char sql_add_run[];
extern const char sql_add_space_count[];
extern const char sql_add_trial[];
extern const char sql_complete_implementation[];
extern const char sql_end_run[];
extern const char sql_find_device[];
extern const char sql_find_implementation[];
extern const char sql_find_metric_name[];
extern const char sql_find_run[];
extern const char sql_pass_trial[];
extern const char sql_put_device[];
extern const char sql_put_peak[];
extern const char sql_put_problem[];
extern const char sql_put_workload[];
extern const char sql_remove_answers[];
extern const char sql_remove_stale[];
extern const char sql_set_beside[];
extern const char sql_set_finals_time[];
extern const char sql_set_patience[];
extern const char sql_set_steady[];
extern const char sql_set_sure[];

#endif
