/* The figures of one launch by name: readings of probes, times, what the problem needs, the
 * device's peaks, the launch's grid, its code. Formulas of the book are worked out over them, and
 * rules find what limits the launch.
 *
 * Names that no book has, since they come without a counter (units in brackets; a figure that is
 * not known is not there):
 *   time_ns hot_ns half_ns   [ns] of a launch: with the caches of the run's policy, with hot
 *                            caches, and with half the occupancy (half the threads on a CPU)
 *   need_bytes need_flops    [B, FLOP] of the problem, as its workload says
 *   empty_ns                 [ns] a launch that does nothing
 *   peak_dram peak_l2 peak_l1 peak_shared  [B/s] measured on this device
 *   peak_flops peak_tensor   [FLOP/s] of the problem's element type, by the units of arithmetic and
 *                            by the tensor units
 *   blocks block_threads     [1] the grid; summed over kernels, and the most
 *   blocks_at_once           [1] that a multiprocessor can hold, by registers, threads and shared
 *                            memory
 *   multiprocessors threads  [1] of the device; a CPU's threads of the launch
 *   code_registers code_stack code_shared code_spills code_instructions  of the machine code
 *   loop_instructions loop_CLASS  [1] instructions of the innermost loops, in all and by class
 *
 * A heap object; texts are copied. */
#ifndef ASCTUNE_PROBES_METRICS_FIGURES_H
#define ASCTUNE_PROBES_METRICS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/result/profile.h"

struct figures;
struct metric_book;

enum asc_status figures_new(struct figures **out, struct asc_err *e);
void figures_free(struct figures *f);

/* Puts one; a later one of the same name replaces it. NaN: it is not known. `counter`: it comes
 * from a counter of the hardware. */
enum asc_status figures_put(struct figures *f, const char *name, double value, bool counter,
			    struct asc_err *e);

/* Puts readings of the whole launch. */
enum asc_status figures_put_readings(struct figures *f, const struct metric *list, size_t n,
				     struct asc_err *e);

/* The value; NaN: it is not known. */
double figures_get(const struct figures *f, const char *name);

/* Works out every formula of the book whose names are known; puts the metrics, and adds them to the
 * profile's readings. */
enum asc_status figures_derive(struct figures *f, const struct metric_book *b, struct profile *p,
			       struct asc_err *e);

/* Finds what limits the launch: the first rule of the book for that kind of device whose names are
 * all known and whose condition holds. Fills label, basis, sentence and left of *p; LABEL_UNKNOWN
 * with the figures that were looked at where none holds. */
enum asc_status figures_judge(const struct figures *f, const struct metric_book *b,
			      const char *device, struct profile *p, struct asc_err *e);

#endif
