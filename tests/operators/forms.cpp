// Every form of operator new and delete: that it works, and that it is hepta's.
#include <malloc.h>

#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "expect.hpp"

static constexpr std::size_t sizes[] = {0, 1, 16, 17, 1000, 1024, 1025, 40000, 5000000};
static constexpr std::size_t alignments[] = {16, 32, 64, 512, 4096, 65536};

// The block can be written to its end. hepta aborts in usable_size when the block is not its own.
static bool is_good(void *block, std::size_t bytes, std::size_t alignment)
{
    if (block == nullptr || !is_aligned(block, alignment) || malloc_usable_size(block) < bytes) {
        return false;
    }
    std::memset(block, 0x5a, bytes);
    return true;
}

static void expect_plain_forms()
{
    bool single = true, array = true;
    for (std::size_t bytes : sizes) {
        void *block = ::operator new(bytes);
        single = single && is_good(block, bytes, 16);
        ::operator delete(block);
        block = ::operator new(bytes);
        single = single && is_good(block, bytes, 16);
        ::operator delete(block, bytes);
        block = ::operator new(bytes, std::nothrow);
        single = single && is_good(block, bytes, 16);
        ::operator delete(block, std::nothrow);

        block = ::operator new[](bytes);
        array = array && is_good(block, bytes, 16);
        ::operator delete[](block);
        block = ::operator new[](bytes);
        array = array && is_good(block, bytes, 16);
        ::operator delete[](block, bytes);
        block = ::operator new[](bytes, std::nothrow);
        array = array && is_good(block, bytes, 16);
        ::operator delete[](block, std::nothrow);
    }
    expect("new and delete work, sized and nothrow too", single);
    expect("new[] and delete[] work, sized and nothrow too", array);
}

static bool aligned_forms_work(std::size_t bytes, std::size_t alignment)
{
    auto align = static_cast<std::align_val_t>(alignment);
    bool good = true;
    void *block = ::operator new(bytes, align);
    good = good && is_good(block, bytes, alignment);
    ::operator delete(block, align);
    block = ::operator new(bytes, align);
    good = good && is_good(block, bytes, alignment);
    ::operator delete(block, bytes, align);
    block = ::operator new(bytes, align, std::nothrow);
    good = good && is_good(block, bytes, alignment);
    ::operator delete(block, align, std::nothrow);

    block = ::operator new[](bytes, align);
    good = good && is_good(block, bytes, alignment);
    ::operator delete[](block, align);
    block = ::operator new[](bytes, align);
    good = good && is_good(block, bytes, alignment);
    ::operator delete[](block, bytes, align);
    block = ::operator new[](bytes, align, std::nothrow);
    good = good && is_good(block, bytes, alignment);
    ::operator delete[](block, align, std::nothrow);
    return good;
}

static void expect_aligned_forms()
{
    bool good = true;
    for (std::size_t bytes : sizes) {
        for (std::size_t alignment : alignments) {
            good = aligned_forms_work(bytes, alignment) && good;
        }
    }
    expect("aligned new and delete work, sized, nothrow and arrays too", good);
}

static void expect_distinct_empty_blocks()
{
    void *first = ::operator new(0);
    void *second = ::operator new(0);
    expect("two empty blocks have two addresses", first != second && first && second);
    ::operator delete(first);
    ::operator delete(second);
    ::operator delete(nullptr);
    ::operator delete[](nullptr);
    ::operator delete(nullptr, std::align_val_t(64));
    expect("deleting nullptr does nothing", true);
}

struct alignas(256) wide {
    int number[100];
};

static void expect_containers()
{
    std::map<std::string, std::vector<std::unique_ptr<wide>>> all;
    bool aligned = true;
    for (int round = 0; round < 2000; round++) {
        auto &list = all[std::string(static_cast<std::size_t>(round % 50) + 20, 'x')];
        list.push_back(std::make_unique<wide>());
        aligned = aligned && is_aligned(list.back().get(), alignof(wide));
        if (round % 7 == 0) {
            list.clear();
        }
    }
    expect("containers of over-aligned objects work", aligned && all.size() == 50);
}

int main()
{
    expect_plain_forms();
    expect_aligned_forms();
    expect_distinct_empty_blocks();
    expect_containers();
    return failures == 0 ? 0 : 1;
}
