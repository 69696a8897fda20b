/* The kinds of pictures: each writes what its data need into a script, before the piece of script
 * that draws them. */
#ifndef ASCTUNE_PAGE_PLOT_PICTURE_KIND_H
#define ASCTUNE_PAGE_PLOT_PICTURE_KIND_H

#include "tuner/base/err.h"

struct picture;
struct plot_script;

enum { PICTURE_WIDTH = 880, PICTURE_HEIGHT = 340, PICTURE_MARKS = 3000 };

/* Pixels of the plot where gnuplot lays the margins, about and rather less. */
enum { PICTURE_PLOT_WIDTH = 740 };

struct picture_ops {
	enum asc_status (*write)(const struct picture *p, struct plot_script *s, struct asc_err *e);
	const char *piece; /* gp/NAME.gp */
};

/* The pieces of script in gp/, which the build makes part of the program: gp/NAME.gp is piece_NAME.
 */
extern const char piece_style[], piece_history[], piece_tuning[], piece_distribution[],
	piece_roofline[], piece_pareto[], piece_comparison[], piece_densities[], piece_replay[];

/* Entries fail with ASC_INPUT if there is nothing to draw; the message is the picture's reason. */
extern const struct picture_ops history_ops, tuning_ops, distribution_ops, roofline_ops, pareto_ops,
	comparison_ops, replay_ops;

/* The whole script of a picture that is written to `file`. */
enum asc_status picture_script(const struct picture *p, const char *file, struct plot_script *s,
			       struct asc_err *e);

#endif
