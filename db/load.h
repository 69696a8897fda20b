/* Rows of the database for reports/results, as they were recorded: no opinion on what is best.
 *
 * Each function begins a statement for the caller to step; its columns are listed with it, in the
 * order in which they are taken. A subject is a device and a problem, by their rows. Runs that were
 * imported are left out of lists: they are of another machine. What is asked for by its number is
 * found, imported or not. */
#ifndef ASCTUNE_DB_LOAD_H
#define ASCTUNE_DB_LOAD_H

#include <stdint.h>

#include "db/statement.h"

/* The subject of a run, imported or not. device, problem, cache policy */
void load_subject_of(struct statement *s, struct db *d, int64_t run_id);

/* Names of a subject; no row where one of them is not there. workload, problem, key of the problem,
 * kind, model, fingerprint, machine (NULL: the only one known of its model) */
void load_names(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Implementations that took part in the runs on this device of all problems with the workload and
 * name of this one: edited ones have a key, and a row, of their own. The newest run first.
 * run, problem, implementation, its name */
void load_participants(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Runs of a subject, the newest first. run, cache policy, simulated, ms of its start, decided,
 * sure, noise in %, baseline, whether its policy asks for finals (-1: the policy cannot be read) */
void load_runs(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Trials of a subject, those of a run together. run, trial, implementation, hash and key of the
 * configuration, status, is the default, ms of its time, number of samples, then ns: median,
 * minimum, maximum, interval from, to; clock in MHz */
void load_trials(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Trials of a subject's runs before losers were removed (db/prune.h). run, implementation, status,
 * number */
void load_tried(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Finalists of a subject. run, implementation, hash and key of the configuration, winner, standing,
 * ratio, median ns, clock in MHz */
void load_finals(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Configurations of a subject whose energy was measured. run, implementation, key of the
 * configuration, J of a launch, interval from, to */
void load_energies(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Subjects with such configurations, of a workload or (NULL) of all. device, problem */
void load_energy_subjects(struct statement *s, struct db *d, const char *workload);

/* All trials of the configurations that have failed in a way that may withdraw them. Trials of one
 * configuration follow each other. device, problem, implementation, key of the configuration, run,
 * whether that is simulated, trial, status, ms of its time */
void load_suspects(struct statement *s, struct db *d);

/* Such failures alone, of the configurations that a run tried or compared, which may come more than
 * once; none if the run was imported. device, problem, implementation, key and hash of the
 * configuration, trial, status, ms of its time */
void load_suspects_of(struct statement *s, struct db *d, int64_t run_id);

struct load_later_than { /* a trial of a configuration; borrowed */
	int64_t device_id, problem_id, implementation_id, config_hash;
	const char *config_key;
	int64_t recorded_ms, id;
};

/* A trial of that configuration that passed later, or no row. trial, ms of its time */
void load_later_pass(struct statement *s, struct db *d, const struct load_later_than *than);

/* Implementations that took part in any run. Those with the same device, workload, name of the
 * problem and own name are contents of one, and have the same number; of these the newest run
 * first. number, device, problem, implementation */
void load_contents(struct statement *s, struct db *d);

/* status, reason */
void load_failure(struct statement *s, struct db *d, int64_t trial_id);

/* name */
void load_implementation(struct statement *s, struct db *d, int64_t id);

struct load_facts_of { /* an answer, of which the facts are asked; borrowed */
	int64_t trial_id, device_id, problem_id;
	int64_t final_run_id;  /* 0: no finals */
	const char *ties_json; /* finalists of that run that tie, [[implementation, hash], ...] */
};

/* Begins a statement for facts that are shown with an answer: the columns that take_facts() takes
 * (reports/results/best.c), and the type that the problem computes in. One row, or none where the
 * database is damaged. */
void load_facts(struct statement *s, struct db *d, const struct load_facts_of *of);

#endif
