/* Texts of Python programs that run in the user's interpreter (tuner/python). */
#ifndef ASCTUNE_EXCHANGE_PYTHON_TEXTS_H
#define ASCTUNE_EXCHANGE_PYTHON_TEXTS_H

/* autotune_helper.py: a process of `asctune import-triton`, which is given _cut.py and
 * triton_helper.py. */
extern const char autotune_helper[], triton_common[];

/* sitecustomize.py, _capture.py and _cut.py: the recorder of `asctune capture`. */
extern const char capture_start[], capture_recorder[], capture_cut[];

#endif
