-- Some fields of many records. ARGV[1] names them: `now` for the newest version, `all` for
-- everything; the ids follow. A record that is gone is nil.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local found = {}

for number = 2, #ARGV do
    local key = P .. 'r:' .. ARGV[number]
    local rev = call('HGET', key, 'rev')
    if not rev then
        found[number - 1] = false
    elseif ARGV[1] == 'now' then
        found[number - 1] = call('HGET', key, 'v' .. rev)
    elseif ARGV[1] == 'index' then
        found[number - 1] = call('HMGET', key, 'n', 'v' .. rev, 'terms')
    else
        found[number - 1] = call('HGETALL', key)
    end
end
return found
