/* The floating-point environment of a thread: rounding, subnormals, traps. */
#ifndef ASCTUNE_DEVICE_CPU_FLOAT_H
#define ASCTUNE_DEVICE_CPU_FLOAT_H

/* Sets the calling thread's to what a program starts with, whatever a kernel has left there. Takes
 * a few nanoseconds where nothing has changed. */
void cpu_float_reset(void);

#endif
