"""sources.py SCALE: code.c, functions that call one another, and code.cpp, templates over the standard containers."""

import random
import sys

scale = float(sys.argv[1])
chooser = random.Random(11)


def expression(names, depth):
    if depth == 0:
        return chooser.choice([*names, str(chooser.randint(1, 99))])
    operator = chooser.choice(["+", "-", "*", "^", "&", "|", "<", "=="])
    return f"({expression(names, depth - 1)} {operator} {expression(names, depth - 1)})"


def statements(names, depth):
    indent = "    " * (4 - depth)
    for _ in range(chooser.randint(2, 4)):
        kind = chooser.randrange(5 if depth else 2)
        target, value = chooser.choice(names), expression(names, 2)
        if kind == 0:
            yield f"{indent}{target} += {value};"
        elif kind == 1:
            yield f"{indent}memory[{target} & 63] = {value};"
        elif kind == 2:
            yield f"{indent}if ({value}) {{"
            yield from statements(names, depth - 1)
            yield f"{indent}}} else {{"
            yield from statements(names, depth - 1)
            yield f"{indent}}}"
        elif kind == 3:
            yield f"{indent}for (unsigned i = 0; i < ({target} & 15); i++) {{"
            yield from statements([*names, "i"][:4], depth - 1)
            yield f"{indent}}}"
        else:
            yield f"{indent}switch ({target} % 5) {{"
            for case in range(4):
                yield f"{indent}case {case}: {chooser.choice(names)} ^= {expression(names, 1)}; break;"
            yield f"{indent}}}"


def c_source(functions):
    yield "typedef struct record { unsigned key, values[7]; struct record *next; } record;"
    for number in range(functions):
        yield f"static unsigned f{number}(record *first, unsigned a, unsigned b, unsigned *memory)"
        yield "{\n    unsigned c = first->key, d = first->values[a % 7];"
        yield from statements(["a", "b", "c", "d"], 3)
        yield "    for (record *one = first; one != 0; one = one->next) one->values[b % 7] += c;"
        if number:
            yield f"    d += f{chooser.randrange(number)}(first, b, c, memory);"
        yield "    return a * 3 + b * 5 + c * 7 + d;\n}"
    yield "unsigned all(record *first, unsigned *memory)\n{\n    unsigned sum = 0;"
    yield from (f"    sum += f{number}(first, sum, {number}, memory);" for number in range(functions))
    yield "    return sum;\n}"


CPP_PROLOGUE = """#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> struct tag { static constexpr int value = N; int room[N % 7 + 1]; };
template <int N> struct chain : chain<N - 1> { tag<N> here; virtual int sum() const { return N + chain<N - 1>::sum(); } };
template <> struct chain<0> { virtual ~chain() = default; virtual int sum() const { return 0; } };
"""


def cpp_source(units):
    yield CPP_PROLOGUE
    for number in range(units):
        yield f"struct s{number} {{ std::string name; std::map<std::string, std::vector<tag<{number + 1}>>> parts;"
        yield f"    std::variant<int, std::string, tag<{number + 50}>> choice; }};"
        yield f"std::size_t use{number}(std::vector<s{number}> &all, std::size_t bound) {{"
        yield f"    std::unordered_map<std::string, std::shared_ptr<s{number}>> index;"
        yield "    for (auto &one : all) index[one.name] = std::make_shared<std::decay_t<decltype(one)>>(one);"
        yield "    std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.name < b.name; });"
        yield "    std::function<std::size_t(std::size_t)> f = [&](std::size_t n) { return n < bound ? index.size() + f(n + 1) : n; };"
        yield f"    return f({number}) + std::visit([](const auto &it) {{ return sizeof it; }}, all.front().choice);"
        yield "}"
    yield f"int deep() {{ return chain<{20 + units * 5}>().sum(); }}"


with open("code.c", "w") as file:
    file.write("\n".join(c_source(max(4, round(32 * scale)))) + "\n")
with open("code.cpp", "w") as file:
    file.write("\n".join(cpp_source(max(1, round(2 * scale)))) + "\n")
