-- Keep notices. ARGV[1] is the time in microseconds, ARGV[2] how many stay, and then for each notice
-- how many records it is about, their ids, and what it says. One about a record that is gone is not
-- kept.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local last = tonumber(call('HGET', KEYS[1], 'noted') or '0')
local place = 3

while place <= #ARGV do
    local about, there = tonumber(ARGV[place]), true
    for number = place + 1, place + about do
        there = there and call('EXISTS', P .. 'r:' .. ARGV[number]) == 1
    end
    place = place + about + 1
    if there then
        last = math.max(last + 1, tonumber(ARGV[1]))
        local number = string.format('%.0f', last) .. '-0'
        call('XADD', P .. 'notices', 'MAXLEN', ARGV[2], number, 'n', ARGV[place])
    end
    place = place + 1
end
call('HSET', KEYS[1], 'noted', string.format('%.0f', last))
call('PUBLISH', P .. 'wake', string.format('%.0f', call('INCR', P .. 'pulse')))
return 1
