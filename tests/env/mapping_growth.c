/* Random blocks of 16 KiB to 16 MiB under a fixed total: the number of the process's mappings stays small. */
#include "scene.h"

enum { PLACES = 64, STEPS = 30000, MOST_MAPPINGS = 400 };

static unsigned count_mappings(void)
{
    static char text[1 << 16];
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    unsigned count = 0;
    for (ssize_t length; (length = read(file, text, sizeof text)) > 0;) {
        for (ssize_t at = 0; at < length; at++) {
            count += text[at] == '\n';
        }
    }
    close(file);
    return count;
}

int main(void)
{
    static void *blocks[PLACES];
    unsigned short state[3] = {1, 2, 3};
    unsigned most = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned place = (unsigned)nrand48(state) % PLACES;
        size_t bytes = (size_t)1 << (14 + nrand48(state) % 10);
        free(blocks[place]);
        blocks[place] = malloc(bytes + (size_t)nrand48(state) % bytes);
        expect(blocks[place] != NULL, "there is memory");
        *(volatile char *)blocks[place] = 1;
        if (step % 1000 == 0) {
            unsigned count = count_mappings();
            most = count > most ? count : most;
        }
    }
    dprintf(STDOUT_FILENO, "%u mappings at most\n", most);
    expect(most < MOST_MAPPINGS, "the mappings stay few");
    return 0;
}
