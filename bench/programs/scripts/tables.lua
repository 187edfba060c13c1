-- tables.lua COUNT: tables, strings and closures, by way of a parser, a sorter and a cache that forgets.

local count = tonumber(arg[1])
local state = 5
local function below(bound)
    state = (state * 1103515245 + 12345) % 2147483648
    return (state // 65536) % bound
end

-- Expressions are written as text, parsed to trees, and evaluated by closures.
local function write(depth)
    if depth == 0 then return tostring(below(100)) end
    return '(' .. write(depth - 1) .. ' ' .. ({'+', '-', '*'})[1 + below(3)] .. ' ' .. write(depth - 1) .. ')'
end

local function parse(text, at)
    if text:sub(at, at) ~= '(' then
        local digits = text:match('^%d+', at)
        return {kind = 'number', value = tonumber(digits)}, at + #digits
    end
    local left, right, operator
    left, at = parse(text, at + 1)
    operator = text:sub(at + 1, at + 1)
    right, at = parse(text, at + 3)
    return {kind = operator, left = left, right = right}, at + 1
end

local function compile(tree)
    if tree.kind == 'number' then
        local value = tree.value
        return function() return value end
    end
    local left, right = compile(tree.left), compile(tree.right)
    if tree.kind == '+' then return function() return (left() + right()) % 10007 end end
    if tree.kind == '-' then return function() return (left() - right()) % 10007 end end
    return function() return (left() * right()) % 10007 end
end

local sum = 0
for _ = 1, count // 40 do
    local text = write(5)
    local tree, finish = parse(text, 1)
    assert(finish == #text + 1)
    sum = (sum * 31 + compile(tree)()) % 1000003
end

-- Rows that replace each other, of tables and strings of all lengths.
local rows, letters = {}, 0
for number = 1, count do
    local place = 1 + below(20000)
    local old = rows[place]
    if old then letters = letters + #old.name end
    rows[place] = {
        number = number,
        name = ('row ' .. number):rep(1 + below(6)),
        parts = {number, number * 2, tostring(number)},
        made = function() return number end,
    }
end
local live = {}
for _, row in pairs(rows) do live[#live + 1] = row end
table.sort(live, function(a, b)
    if #a.name ~= #b.name then return #a.name < #b.name end
    return a.number < b.number
end)

-- Words, counted and put together.
local counts, pieces = {}, {}
for _, row in ipairs(live) do
    for word in row.name:gmatch('%a+%s%d') do counts[word] = (counts[word] or 0) + 1 end
    pieces[#pieces + 1] = row.name:gsub('%d', function(digit) return digit + 1 end):upper()
end
local text = table.concat(pieces, '\n')
print(sum, letters, #live, live[#live // 2].made(), counts['row 1'], #text)
