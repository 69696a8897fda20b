/* The pieces of script in gp/, which the build makes part of the program: gp/NAME.gp is piece_NAME.
 */
#ifndef ASCTUNE_PAGE_PLOT_PLOT_PIECES_H
#define ASCTUNE_PAGE_PLOT_PLOT_PIECES_H

extern const char piece_style[], piece_history[], piece_tuning[], piece_distribution[],
	piece_roofline[], piece_pareto[], piece_comparison[], piece_densities[], piece_replay[];

#endif
