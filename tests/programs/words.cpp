// A program in C++: containers, strings, shared pointers and exceptions, by several threads.
#include <malloc.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using words = std::map<std::string, std::vector<std::shared_ptr<std::string>>>;

static std::size_t count_words(int seed)
{
    words all;
    std::unordered_map<int, std::string> numbers;
    std::size_t thrown = 0;
    for (int number = 0; number < 20000; number++) {
        auto word = std::make_shared<std::string>(std::to_string(number * seed) + " is a number");
        all[word->substr(0, 2)].push_back(word);
        numbers[number % 997] += *word;
        try {
            if (number % 100 == 0) {
                throw std::runtime_error(*word);
            }
        } catch (const std::exception &error) {
            thrown += std::string(error.what()) == *word;
        }
    }
    std::size_t count = 0;
    for (const auto &entry : all) {
        count += entry.second.size();
    }
    return count + thrown + numbers.size();
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<std::size_t> counts(4);
    for (std::size_t index = 0; index < counts.size(); index++) {
        threads.emplace_back([&counts, index] { counts[index] = count_words(static_cast<int>(index) + 7); });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    for (std::size_t count : counts) {
        if (count != 20000 + 200 + 997) {
            std::puts("a word is missing");
            return 1;
        }
    }
    // There is no header: a request of 48 bytes gets 48 on hepta, and never in glibc.
    void *block = ::operator new(48);
    std::puts(malloc_usable_size(block) == 48 ? "on hepta" : "on another allocator");
    ::operator delete(block);
    return 0;
}
