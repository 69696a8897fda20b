/* The facts of a run, each named once: its key in JSON, the label of its line in `--verbose`, and
 * how each output writes it. Lists say which facts an output has, in its order. */
#ifndef ASCTUNE_CMD_RUN_RUN_FACTS_H
#define ASCTUNE_CMD_RUN_RUN_FACTS_H

#include <stdbool.h>

struct json_writer;
struct loop_options;
struct loop_summary;
struct prose;

struct run_facts { /* what they are of; borrowed */
	const struct loop_options *o;
	const struct loop_summary *sum;
};

/* Puts the figures of the answer behind its title: "  1.2 us ±3 %  1.50x default". */
void run_facts_put_headline(struct prose *p, const struct run_facts *f);

/* Prints why the search ended before its budget; nothing where it did not. */
void run_facts_print_patience(struct prose *p, const struct run_facts *f);

/* Prints the lines of --verbose, a label and a text each. */
void run_facts_print_verbose(struct prose *p, const struct run_facts *f);

/* Write members of the line that begins a run, and of the one that ends it. */
void run_facts_write_begin(struct json_writer *w, const struct run_facts *f);
void run_facts_write_end(struct json_writer *w, const struct run_facts *f);

/* Marks a line whose times a model gave, and names the device (NULL: it is the only one). */
void run_facts_write_origin(struct json_writer *w, const struct run_facts *f, const char *place);

/* Writes a clock that is known. */
void run_facts_write_clock(struct json_writer *w, double mhz);

bool run_facts_default_is_best(const struct loop_summary *sum);

#endif
