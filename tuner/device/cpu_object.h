/* Opening the shared object of a kernel without lasting effects on this process. */
#ifndef ASCTUNE_DEVICE_CPU_OBJECT_H
#define ASCTUNE_DEVICE_CPU_OBJECT_H

/* dlopen()'s handle, for dlclose(); NULL: dlerror() has the words. */
void *cpu_object_open(const char *artifact);

#endif
