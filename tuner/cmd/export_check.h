/* asctune export --check: rows of exported tables that are stale. */
#ifndef ASCTUNE_CMD_EXPORT_CHECK_H
#define ASCTUNE_CMD_EXPORT_CHECK_H

/* Prints a line for each reason for which a row of the tables in the folder is stale, by what the
 * database at `db` holds and, where a device is named, by its driver. Returns the exit status. */
int export_check(const char *folder, const char *db, const char *device);

#endif
