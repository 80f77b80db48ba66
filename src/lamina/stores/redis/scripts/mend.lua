-- Put a record where it belongs, from what it says itself. ARGV: its id, the revision that was read,
-- the slot that it holds (or nothing), and the words that it is found by (`-` leaves them).

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local id, rev, place, terms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key = P .. 'r:' .. id
local stands = call('HMGET', key, 'rev', 'n', 'set', 'stream')

if stands[1] ~= rev then
    return 0
end
local mended = call('ZADD', P .. 'in:' .. stands[3], stands[2], id)
    + call('SADD', P .. 'sets:' .. stands[4], stands[3])
if place ~= '' and call('SET', P .. 'at:' .. place, id, 'NX') then
    local left = call('PTTL', key)
    mended = mended + 1
    if left > 0 then
        call('PEXPIRE', P .. 'at:' .. place, left)
    end
end
if terms == '' then
    call('HDEL', key, 'terms')
elseif terms ~= '-' then
    call('HSET', key, 'terms', terms)
end
return mended + 1
