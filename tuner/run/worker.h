/* The worker process: opens one device, keeps a problem's tensors, and measures configurations as
 * requests ask. */
#ifndef ASCTUNE_RUN_WORKER_H
#define ASCTUNE_RUN_WORKER_H

#include "tuner/base/err.h"

/* Serves requests on `fd` until the stream ends (ASC_OK) or trouble of our own. */
enum asc_status worker_serve(int fd, struct asc_err *e);

#endif
