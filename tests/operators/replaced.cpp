// A program that replaces the plain new and delete only: every other form has to go by way of them.
// Its blocks start behind a header, so a form that freed them directly would free a wrong address.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "expect.hpp"

static constexpr std::size_t header_bytes = 64;
static long live_blocks;
static bool refuse;

void *operator new(std::size_t bytes)
{
    char *block = refuse ? nullptr : static_cast<char *>(std::malloc(bytes + header_bytes));
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    live_blocks++;
    return block + header_bytes;
}

void operator delete(void *pointer) noexcept
{
    if (pointer != nullptr) {
        live_blocks--;
        std::free(static_cast<char *>(pointer) - header_bytes);
    }
}

static void expect_forms()
{
    void *array = ::operator new[](100);
    void *nothrow = ::operator new(100, std::nothrow);
    void *array_nothrow = ::operator new[](100, std::nothrow);
    expect("new[], nothrow new and nothrow new[] call the program's new", live_blocks == 3);
    ::operator delete[](array);
    ::operator delete(nothrow, std::nothrow);
    ::operator delete[](array_nothrow, std::nothrow);
    expect("delete[] and the nothrow forms call the program's delete", live_blocks == 0);

    void *single = ::operator new(100);
    array = ::operator new[](100);
    ::operator delete(single, std::size_t(100));
    ::operator delete[](array, std::size_t(100));
    expect("the sized forms call the program's delete", live_blocks == 0);

    refuse = true;
    nothrow = ::operator new(100, std::nothrow);
    array_nothrow = ::operator new[](100, std::nothrow);
    expect("what the program's new throws is caught",
           nothrow == nullptr && array_nothrow == nullptr);
    refuse = false;

    auto align = static_cast<std::align_val_t>(64);
    void *aligned = ::operator new(100, align);
    expect("aligned new is not affected", live_blocks == 0 && is_aligned(aligned, 64));
    ::operator delete(aligned, align);
}

// The standard library gets a buffer by nothrow new and returns it by plain delete.
static void expect_stable_sort()
{
    std::vector<std::vector<int>> lists;
    for (int number = 0; number < 1000; number++) {
        lists.push_back({number * 7919 % 1000});
    }
    std::stable_sort(lists.begin(), lists.end());
    expect("stable_sort works", std::is_sorted(lists.begin(), lists.end()));
}

int main()
{
    expect_forms();
    expect_stable_sort();
    expect("every block was returned", live_blocks == 0);
    return failures == 0 ? 0 : 1;
}
