// When memory runs out: the new-handler, std::bad_alloc, and nullptr from the forms that do not throw.
#include <cstdlib>
#include <exception>
#include <new>

#include "expect.hpp"

static constexpr auto page = static_cast<std::align_val_t>(4096);
static int handler_calls;

template <typename Call> static bool throws_bad_alloc(Call call)
{
    try {
        call();
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}

static void expect_bad_alloc()
{
    std::set_new_handler(nullptr);
    expect("new throws bad_alloc", throws_bad_alloc([] { return ::operator new(too_many); }));
    expect("new[] throws bad_alloc", throws_bad_alloc([] { return ::operator new[](too_many); }));
    expect("aligned new throws bad_alloc",
           throws_bad_alloc([] { return ::operator new(too_many, page); }));
    expect("aligned new[] throws bad_alloc",
           throws_bad_alloc([] { return ::operator new[](too_many, page); }));
    expect("a size beyond PTRDIFF_MAX throws bad_alloc",
           throws_bad_alloc([] { return ::operator new(too_many * 2); }));
    volatile std::size_t three = 3;
    expect("an alignment of 3 throws bad_alloc",
           throws_bad_alloc([&] { return ::operator new(8, std::align_val_t(three)); }));
    expect("an alignment of 3 without throwing is nullptr",
           ::operator new(8, std::align_val_t(three), std::nothrow) == nullptr);
    expect("memory goes on after all that", ::operator new(100, std::nothrow) != nullptr);
}

static bool all_nothrow_forms_are_null()
{
    bool null = ::operator new(too_many, std::nothrow) == nullptr;
    null = ::operator new[](too_many, std::nothrow) == nullptr &&null;
    null = ::operator new(too_many, page, std::nothrow) == nullptr &&null;
    null = ::operator new[](too_many, page, std::nothrow) == nullptr &&null;
    return null;
}

static void count_then_give_up()
{
    if (++handler_calls == 3) {
        std::set_new_handler(nullptr);
    }
}

static void expect_handler_to_be_asked_again()
{
    handler_calls = 0;
    std::set_new_handler(count_then_give_up);
    bool thrown = throws_bad_alloc([] { return ::operator new(too_many); });
    expect("the new-handler is called until it is taken away", thrown && handler_calls == 3);

    handler_calls = 0;
    std::set_new_handler(count_then_give_up);
    void *block = ::operator new(too_many, std::nothrow);
    expect("nothrow new calls it as well", block == nullptr && handler_calls == 3);

    handler_calls = 0;
    std::set_new_handler(count_then_give_up);
    block = ::operator new[](too_many, page, std::nothrow);
    expect("aligned nothrow new[] too", block == nullptr && handler_calls == 3);
}

static void throw_bad_alloc()
{
    handler_calls++;
    throw std::bad_alloc();
}

static void throw_number()
{
    throw 42;
}

static void expect_throwing_handlers()
{
    handler_calls = 0;
    std::set_new_handler(throw_bad_alloc);
    bool thrown = throws_bad_alloc([] { return ::operator new(too_many); });
    expect("a new-handler may throw", thrown && handler_calls == 1);
    expect("nothrow forms turn that into nullptr", all_nothrow_forms_are_null());
    expect("each of them called it", handler_calls == 5);

    std::set_new_handler(throw_number);
    int number = 0;
    try {
        throws_bad_alloc([] { return ::operator new(too_many); });
    } catch (int caught) {
        number = caught;
    }
    expect("what else it throws passes through new", number == 42);
    expect("and not through the nothrow forms", all_nothrow_forms_are_null());
    bool nothing_left = true;
    for (int round = 0; round < 10000; round++) {
        nothing_left = ::operator new(too_many, std::nothrow) == nullptr &&nothing_left;
    }
    expect("no exception is left over",
           nothing_left && std::uncaught_exceptions() == 0 && std::current_exception() == nullptr);
}

// Called inside a catch: the caught exceptions nest.
static void expect_nested_exceptions()
{
    try {
        throw 7;
    } catch (int) {
        expect("nothrow new works while an exception is handled", all_nothrow_forms_are_null());
        expect("which is still the current one afterwards", std::current_exception() != nullptr);
    }
}

int main()
{
    expect_bad_alloc();
    expect("nothrow forms are nullptr without a handler", all_nothrow_forms_are_null());
    expect_handler_to_be_asked_again();
    expect_throwing_handlers();
    expect_nested_exceptions();
    return failures == 0 ? 0 : 1;
}
