// Loaded by plugin_host.c, a C program: the C++ runtime comes long after hepta.
#include <new>

#include "expect.hpp"

static int handler_calls;

static void give_up()
{
    handler_calls++;
    std::set_new_handler(nullptr);
}

static bool new_throws()
{
    try {
        return ::operator new(too_many) == nullptr;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

extern "C" int plugin_failures()
{
    expect("a plugin gets bad_alloc", new_throws());
    expect("and nullptr from nothrow new", ::operator new(too_many, std::nothrow) == nullptr);
    std::set_new_handler(give_up);
    expect("its new-handler is called", new_throws() && handler_calls == 1);
    return failures;
}
