-- What is kept of many records. ARGV[1] says what is wanted: `now` is the newest version, `at` that
-- of whoever holds a slot, `index` what searching needs, `all` everything. Ids follow, or slots. What
-- is not there is nil.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local how, found = ARGV[1], {}

local function read(id)
    local key = P .. 'r:' .. id
    local rev = call('HGET', key, 'rev')
    if not rev then
        return false
    elseif how == 'index' then
        return call('HMGET', key, 'n', 'v' .. rev, 'terms')
    elseif how == 'all' then
        return call('HGETALL', key)
    end
    return call('HGET', key, 'v' .. rev)
end

for number = 2, #ARGV do
    local id = ARGV[number]
    if how == 'at' then
        id = call('GET', P .. 'at:' .. id)
    end
    found[number - 1] = id and read(id) or false
end
return found
