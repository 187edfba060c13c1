/* A C program that loads a plugin written in C++, without sharing its symbols. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argument_count, char **arguments)
{
    void *plugin = argument_count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin == NULL) {
        fprintf(stderr, "no plugin: %s\n", dlerror());
        return 2;
    }
    int (*plugin_failures)(void) = (int (*)(void))dlsym(plugin, "plugin_failures");
    return plugin_failures != NULL ? plugin_failures() : 2;
}
