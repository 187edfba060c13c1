"""trees.py COUNT: COUNT functions are written as source, parsed, rewritten, compiled and run: ast, compile, exec."""

import ast
import random
import sys

chooser = random.Random(3)


def expression(depth):
    if depth == 0:
        return chooser.choice(["a", "b", "c", str(chooser.randint(0, 999))])
    kind = chooser.randrange(6)
    left, right = expression(depth - 1), expression(depth - 1)
    return [
        f"({left} + {right})",
        f"({left} * {right} % 10007)",
        f"({left} if {right} > 7 else {left})",
        f"max({left}, {right})",
        f"sum([{left}, *range({right} % 5)])",
        f"len({{{left}: {right}, 'k': [{left}]}})",
    ][kind]


def function(number):
    lines = [f"def f{number}(a, b=3, *, c=5):", f"    '''Function number {number}.'''"]
    for step in range(chooser.randint(2, 6)):
        lines.append(f"    for i{step} in range(3):")
        lines.append(f"        {chooser.choice('abc')} = {expression(chooser.randint(1, 4))} % 100003")
        lines.append(f"        if a > b and not c == {step}: b = a - b + {step}")
    return "\n".join(lines + ["    return (a * 31 + b * 17 + c) % 1000003", ""])


class Rewriter(ast.NodeTransformer):
    """Folds sums of constants, and turns x + y into -(-x - y)."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Add):
            return node
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return ast.copy_location(ast.Constant(node.left.value + node.right.value), node)
        minus = ast.UnaryOp(ast.USub(), node.left)
        return ast.copy_location(ast.UnaryOp(ast.USub(), ast.BinOp(minus, ast.Sub(), node.right)), node)


def main():
    count, results, nodes, letters = int(sys.argv[1]), 0, 0, 0
    for begin in range(0, count, 25):
        source = "\n".join(function(number) for number in range(begin, min(begin + 25, count)))
        tree = ast.parse(source)
        rewritten = ast.fix_missing_locations(Rewriter().visit(ast.parse(source)))
        nodes += sum(1 for _ in ast.walk(tree))
        again = ast.unparse(rewritten)
        letters += len(again)
        plain, changed = {}, {}
        exec(compile(tree, "plain", "exec"), plain)
        exec(compile(again, "changed", "exec"), changed)
        for number in range(begin, min(begin + 25, count)):
            value = plain[f"f{number}"](number)
            if value != changed[f"f{number}"](number):
                raise SystemExit(f"f{number} computes something else after the rewriting")
            results = (results * 7 + value) % 1000003
    print(count, nodes, letters, results)


main()
