/* Rows of a table of answers, one a problem: what `run` prints after several problems, and `best`.
 */
#ifndef ASCTUNE_CMD_ANSWERS_ANSWER_ROW_H
#define ASCTUNE_CMD_ANSWERS_ANSWER_ROW_H

#include <stdbool.h>

#include "tuner/base/stats/stats.h"
#include "tuner/cmd/terminal/ink.h"
#include "tuner/result/objective.h"
#include "tuner/result/tie.h"

struct baselines;
struct best_row;
struct buf;
struct json_writer;
struct table;

struct answer_row {
	double median_ns;       /* 0: nothing passed */
	double width_pct;       /* half of the median's interval; NaN: not known */
	double to_default;      /* time of the default / median_ns; 0: not known */
	char to_baselines[320]; /* "1.90x", of several "1.90x eager  1.10x compiled"; "": not known
				 */
	bool slower;            /* than one of them */
	double part_pct;        /* of what is attainable; 0: not known */
	const char *part_note;  /* as in struct roofline */
	struct sureness sure;
};

/* Half of an interval around a median in percent; NaN bounds: of the middle half; NaN where that is
 * not known either. */
double answer_row_width_pct(double median, double low, double high, double q1, double q3);

/* Ink of an answer that is so sure; of what is shown on its own, and in a table of many. */
enum ink answer_row_ink(enum sure sure);

/* Sets what a row says of baselines. */
void answer_row_set_baselines(struct answer_row *r, const struct baselines *b);

/* Row of a recorded answer. */
struct answer_row answer_row_of(const struct best_row *best);

void answer_row_begin(struct table *t);
void answer_row_add(struct table *t, const char *title, const struct answer_row *r);

/* Appends the energy of a launch, and among how many it was chosen: "118 mJ ±1.0 %, of 12
 * measured".
 */
void answer_row_add_energy(const struct objective_answer *a, struct buf *text);

/* Writes the same as members of an open object; none of an answer by time. */
void answer_row_write_energy(const struct objective_answer *a, struct json_writer *w);

#endif
