/* File systems that several machines mount, where a write-ahead log (shared memory between the
 * database's users) cannot work. */
#ifndef ASCTUNE_DB_NETWORK_FS_H
#define ASCTUNE_DB_NETWORK_FS_H

/* "NFS", "SMB", ... of the file, or of its folder while there is no such file; NULL: a local one,
 * or it cannot be told. */
const char *network_fs_find(const char *path);

/* By statfs(2)'s f_type. Source of the numbers: statfs(2) and linux/magic.h; Lustre, GPFS and
 * BeeGFS from their own documentation. */
const char *network_fs_name(unsigned long type);

#endif
