"""smt.py SCALE: problems for an SMT solver: schedule.smt2 (differences of numbers), machines.smt2 (bit vectors)."""

import random
import sys

scale = float(sys.argv[1])
chooser = random.Random(6)


def schedule(jobs, machines):
    """Jobs that pass over machines in an order of their own; is there a schedule that ends in time?"""
    durations = [[chooser.randint(1, 9) for _ in range(machines)] for _ in range(jobs)]
    orders = [chooser.sample(range(machines), machines) for _ in range(jobs)]
    load = max(sum(durations[job][machine] for job in range(jobs)) for machine in range(machines))
    limit = int(max(load, max(map(sum, durations))) * chooser.uniform(1.0, 1.2))
    yield "(push)"
    for job in range(jobs):
        for machine in range(machines):
            yield f"(declare-const s{job}_{machine} Int)"
            yield f"(assert (and (>= s{job}_{machine} 0) (<= (+ s{job}_{machine} {durations[job][machine]}) {limit})))"
        for one, after in zip(orders[job], orders[job][1:]):
            yield f"(assert (>= s{job}_{after} (+ s{job}_{one} {durations[job][one]})))"
    for machine in range(machines):
        for one in range(jobs):
            for other in range(one):
                yield (
                    f"(assert (or (>= s{one}_{machine} (+ s{other}_{machine} {durations[other][machine]}))"
                    f" (>= s{other}_{machine} (+ s{one}_{machine} {durations[one][machine]}))))"
                )
    yield "(check-sat)"
    yield "(pop)"


def expression(names, depth):
    if depth == 0:
        return chooser.choice([*names, f"(_ bv{chooser.randint(0, 255)} 8)"])
    operator = chooser.choice(["bvadd", "bvsub", "bvand", "bvor", "bvxor", "bvshl", "bvlshr", "bvmul"])
    return f"({operator} {expression(names, depth - 1)} {expression(names, depth - 1)})"


def machine(steps):
    """Registers that random instructions change; do two ways of writing a sum, or almost a sum, ever differ?"""
    names = [f"x{number}" for number in range(4)]
    yield "(push)"
    for name in names:
        yield f"(declare-const {name} (_ BitVec 8))"
    for step in range(steps):
        name = chooser.choice(names)
        yield f"(define-fun t{step} () (_ BitVec 8) {expression(names, 3)})"
        yield f"(assert (bvule (bvand t{step} (_ bv15 8)) (bvor {name} (_ bv9 8))))"
        names.append(f"t{step}")
    left, right = chooser.sample(names, 2)
    without_carry, carry = f"(bvxor {left} {right})", f"({chooser.choice(['bvand', 'bvor'])} {left} {right})"
    yield f"(assert (not (= (bvadd {left} {right}) (bvadd {without_carry} (bvmul (_ bv2 8) {carry})))))"
    yield "(check-sat)"
    yield "(pop)"


def write(name, problems):
    with open(name, "w") as file:
        # Steps after which a problem is given up, with the answer `unknown`: a few would take for ever.
        file.write("(set-option :print-success false)\n(set-option :rlimit 400000)\n")
        for problem in problems:
            file.write("\n".join(problem) + "\n")
        # How much work it was: the same on every allocator, or the search was another one.
        file.write("(get-info :rlimit)\n")


write("schedule.smt2", (schedule(7, 4) for _ in range(max(1, round(40 * scale)))))
write("machines.smt2", (machine(6) for _ in range(max(1, round(40 * scale)))))
