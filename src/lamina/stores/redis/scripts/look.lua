-- What planning asks of the present, in one round trip.
--
-- KEYS[1] as in write.lua; ARGV[1] is JSON: the ids, places and streams that a commit names, the ids
-- that it brings back from elsewhere, and its receipt.

local P = string.sub(KEYS[1], 1, -5)
local call = redis.call
local asked = cjson.decode(ARGV[1])

local function newest(id)
    local rev = call('HGET', P .. 'r:' .. id, 'rev')
    return rev and { id, call('HGET', P .. 'r:' .. id, 'v' .. rev) } or false
end

local function holder(place)
    local id = call('GET', P .. 'at:' .. place)
    return id and newest(id) or false
end

local records, places, slots, heads, erased = {}, {}, {}, {}, {}

local function head(stream)
    local found = call('HGET', P .. 'heads', stream)
    if found then
        heads[#heads + 1] = stream
        heads[#heads + 1] = found
    end
end

for _, stream in ipairs(asked.streams) do
    head(stream)
end
for number, id in ipairs(asked.ids) do
    records[number] = newest(id)
    if records[number] then
        local slot = call('HGET', P .. 'r:' .. id, 'slot')
        head(call('HGET', P .. 'r:' .. id, 'stream'))
        if slot ~= '' then
            slots[#slots + 1] = { slot, holder(slot) }
        end
    end
end
for number, place in ipairs(asked.places) do
    places[number] = holder(place)
end
for number, id in ipairs(asked.adopted) do
    erased[number] = call('SISMEMBER', P .. 'gone', id)
end

local receipt = asked.receipt and call('HGETALL', P .. 'receipt:' .. asked.receipt) or {}
return { call('HMGET', KEYS[1], 'identity', 'chosen'), call('HGETALL', P .. 'settings'),
    records, places, slots, heads, erased, receipt }
