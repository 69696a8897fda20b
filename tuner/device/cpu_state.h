/* What disturbs launches on the CPU, as far as this machine tells. */
#ifndef ASCTUNE_DEVICE_CPU_STATE_H
#define ASCTUNE_DEVICE_CPU_STATE_H

struct device_state;

void cpu_state_read(struct device_state *out);

#endif
