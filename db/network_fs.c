#include "db/network_fs.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/vfs.h>

#include "tuner/base/file.h"

static const struct {
	uint32_t type;
	const char *name;
} types[] = {
	{0x00006969, "NFS"},    {0x0000517b, "SMB"},    {0xff534d42, "SMB"},
	{0xfe534d42, "SMB"},    {0x65735546, "FUSE"},   {0x01021997, "9p"},
	{0x5346414f, "AFS"},    {0x6b414653, "AFS"},    {0x00c36400, "Ceph"},
	{0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},   {0x01161970, "GFS2"},
	{0x7461636f, "OCFS2"},  {0x73757245, "Coda"},   {0x0000564c, "NCP"},
	{0x19830326, "BeeGFS"}, {0x786f4256, "vboxsf"},
};

const char *network_fs_name(unsigned long type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == (uint32_t)type)
			return types[i].name;
	return NULL;
}

const char *network_fs_find(const char *path)
{
	struct statfs at;
	char *folder = path_folder(path);
	int failed = statfs(path, &at) && (!folder || statfs(folder, &at));

	free(folder);
	return failed ? NULL : network_fs_name((unsigned long)at.f_type);
}
