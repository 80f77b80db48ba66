-- Count records as having been of use. ARGV[1] is the time, ARGV[2] the root of those who asked, and
-- then by turns an id and how often. One that is gone is not counted.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call

for number = 3, #ARGV, 2 do
    local record, key = P .. 'r:' .. ARGV[number], P .. 'use:' .. ARGV[number]
    local left = call('PTTL', record)
    if left ~= -2 then
        local hits, last = string.match(call('HGET', key, ARGV[2]) or '0 ', '^(%d+) (.*)$')
        local at = last > ARGV[1] and last or ARGV[1]
        hits = string.format('%.0f', tonumber(hits) + tonumber(ARGV[number + 1]))
        call('HSET', key, ARGV[2], hits .. ' ' .. at)
        if left > 0 then
            call('PEXPIRE', key, left)
        end
    end
end
return 1
