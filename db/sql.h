/* The text of each file db/sql/FOLDER/NAME.sql, one statement with named parameters, which the
 * build makes part of the program as sql_NAME. */
#ifndef ASCTUNE_DB_SQL_H
#define ASCTUNE_DB_SQL_H

extern const char sql_schema[]; /* db/schema.sql */

/* earlier/ */
extern const char sql_each_contender[];
extern const char sql_earlier_results[];
extern const char sql_earlier_sources[];
extern const char sql_earlier_tables[];

/* history/ */
extern const char sql_acknowledge[];
extern const char sql_count_acknowledgements[];
extern const char sql_forget_acknowledgements[];
extern const char sql_history_acknowledgements[];
extern const char sql_history_beside[];
extern const char sql_history_counts[];
extern const char sql_history_failures[];
extern const char sql_history_failures_of_run[];
extern const char sql_history_finals[];
extern const char sql_history_finals_of[];
extern const char sql_history_implementations[];
extern const char sql_history_metric_changes[];
extern const char sql_history_metrics[];
extern const char sql_history_newest_pass[];
extern const char sql_history_outcomes[];
extern const char sql_history_participants[];
extern const char sql_history_reading_changes[];
extern const char sql_history_run_trials[];
extern const char sql_history_runs[];
extern const char sql_history_trials[];
extern const char sql_history_trials_of[];
extern const char sql_history_trials_of_gates[];
extern const char sql_history_tried[];
extern const char sql_spanned_runs[];
extern const char sql_spanned_trials[];

/* load/ */
extern const char sql_load_answers[];
extern const char sql_load_answers_of[];
extern const char sql_load_contents[];
extern const char sql_load_energies[];
extern const char sql_load_energy_subjects[];
extern const char sql_load_facts[];
extern const char sql_load_failure[];
extern const char sql_load_finals[];
extern const char sql_load_implementation[];
extern const char sql_load_later_pass[];
extern const char sql_load_names[];
extern const char sql_load_participants[];
extern const char sql_load_peaks[];
extern const char sql_load_profile[];
extern const char sql_load_profiles_of[];
extern const char sql_load_readings[];
extern const char sql_load_runs[];
extern const char sql_load_space_counts[];
extern const char sql_load_stale[];
extern const char sql_load_stale_of[];
extern const char sql_load_subject_of[];
extern const char sql_load_suspects[];
extern const char sql_load_suspects_of[];
extern const char sql_load_trials[];
extern const char sql_load_tried[];

/* merge/ */
extern const char sql_merge_columns[];

/* prune/ */
extern const char sql_prune_again[];
extern const char sql_prune_bytes[];
extern const char sql_prune_counts[];
extern const char sql_prune_losers[];
extern const char sql_prune_metrics[];
extern const char sql_prune_rows[];
extern const char sql_prune_runs[];
extern const char sql_prune_texts[];

/* query/ */
extern const char sql_each_compared[];
extern const char sql_each_cover_cell[];
extern const char sql_each_environment[];
extern const char sql_each_going[];
extern const char sql_each_newest_run[];
extern const char sql_each_news[];
extern const char sql_each_passed[];
extern const char sql_each_record[];
extern const char sql_each_record_subject[];
extern const char sql_each_recorded[];
extern const char sql_each_result_metric[];
extern const char sql_each_run[];
extern const char sql_each_run_energy[];
extern const char sql_each_run_final[];
extern const char sql_each_run_trial[];
extern const char sql_each_run_uid[];
extern const char sql_each_share[];
extern const char sql_each_unmeasured[];
extern const char sql_each_verdict[];
extern const char sql_find_alike[];
extern const char sql_find_final_times[];
extern const char sql_find_newest_trial[];
extern const char sql_find_overview[];
extern const char sql_find_record[];
extern const char sql_find_result[];
extern const char sql_find_run_state[];
extern const char sql_find_run_time[];
extern const char sql_get_final_samples[];
extern const char sql_get_result[];
extern const char sql_has_run[];
extern const char sql_put_series[];
extern const char sql_put_verdict[];

/* record/ */
extern const char sql_add_answer[];
extern const char sql_add_final[];
extern const char sql_add_implementation[];
extern const char sql_add_metric[];
extern const char sql_add_metric_name[];
extern const char sql_add_outcome[];
extern const char sql_add_participant[];
extern const char sql_add_reading[];
extern const char sql_add_run[];
extern const char sql_add_share[];
extern const char sql_add_space_count[];
extern const char sql_add_trial[];
extern const char sql_complete_implementation[];
extern const char sql_end_run[];
extern const char sql_end_share[];
extern const char sql_find_device[];
extern const char sql_find_implementation[];
extern const char sql_find_metric_name[];
extern const char sql_find_run[];
extern const char sql_pass_trial[];
extern const char sql_put_device[];
extern const char sql_put_peak[];
extern const char sql_put_problem[];
extern const char sql_put_profile[];
extern const char sql_put_workload[];
extern const char sql_remove_answers[];
extern const char sql_remove_outcomes[];
extern const char sql_remove_readings[];
extern const char sql_remove_stale[];
extern const char sql_set_beside[];
extern const char sql_set_finals_time[];
extern const char sql_set_input_seeds[];
extern const char sql_set_patience[];
extern const char sql_set_steady[];
extern const char sql_set_sure[];

/* room/ */
extern const char sql_room_content[];
extern const char sql_room_has_parts[];
extern const char sql_room_parts[];

#endif
