/* What this machine's processors and memory reach at best, measured. */
#ifndef ASCTUNE_DEVICE_CPU_PEAKS_H
#define ASCTUNE_DEVICE_CPU_PEAKS_H

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"

struct peaks;

/* All hardware threads that the process may run on, each kept on one of them, at five moments
 * within half a second. The FLOP/s are those of independent chains of multiply-adds in the widest
 * vectors that help, in f32 or f64, and 0 for other types; the bandwidth is that of a[i] = b[i] + s
 * * c[i] over memory of at least four times the last-level caches together, three transfers an
 * element (McCalpin's STREAM, which does not count that a line is read before it is written
 * either). The bandwidth is 0 when there is not enough memory for that. */
enum asc_status cpu_peaks_measure(enum dtype type, struct peaks *out, struct asc_err *e);

#endif
