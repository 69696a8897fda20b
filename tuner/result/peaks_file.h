/* The best peaks ever measured of each device by this user: CACHE/peaks/FINGERPRINT.json in the
 * user's cache, shared by processes and by databases.
 *
 * Files appear complete, by renaming, and only ever get better: who writes one holds the lock of
 * the folder from reading to renaming. Rules of owners are those of the cache. */
#ifndef ASCTUNE_RESULT_PEAKS_FILE_H
#define ASCTUNE_RESULT_PEAKS_FILE_H

#include "tuner/base/err.h"

struct peaks;

/* Reads what is kept of a device; no rows where nothing is, or where the fingerprint is no name of
 * a file, as a foreign database may have it. ASC_IO for a file or folder that base/owner refuses;
 * what does not read as peaks is an error, too. */
enum asc_status peaks_file_read(const char *cache, const char *fingerprint, struct peaks *out,
				struct asc_err *e);

/* Keeps peaks beside those of the file, by peaks_merge(), which *p has afterwards, too. A file that
 * is damaged or another user's is replaced. */
enum asc_status peaks_file_put(const char *cache, const char *fingerprint, struct peaks *p,
			       struct asc_err *e);

#endif
