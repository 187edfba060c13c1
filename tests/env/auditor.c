/* A library for LD_AUDIT that asks to see every binding. */
#include <link.h>

unsigned la_version(unsigned version)
{
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
    (void)map;
    (void)namespace;
    (void)cookie;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
