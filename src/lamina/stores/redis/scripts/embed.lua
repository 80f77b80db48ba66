-- Keep vectors. ARGV[1] is the space, ARGV[2] how long they are (0 when none was made), and then for
-- each an id, the revision that it belongs to, and its bytes, empty where none could be made.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local space, dimensions, kept = ARGV[1], ARGV[2], 0

local before = call('HGET', P .. 'spaces', space)
if before and before ~= '0' and dimensions ~= '0' and before ~= dimensions then
    return -1
end
if not before or before == '0' then
    call('HSET', P .. 'spaces', space, dimensions)
end
for number = 3, #ARGV, 3 do
    local id, rev = ARGV[number], ARGV[number + 1]
    local stands = call('HMGET', P .. 'r:' .. id, 'rev', 'terms')
    if stands[1] == rev and stands[2] then
        call('HSET', P .. 'vector:' .. space, id, rev .. ':' .. ARGV[number + 2])
        call('ZADD', P .. 'placed:' .. space, call('INCR', P .. 'places'), id)
        kept = kept + 1
    end
end
return kept
