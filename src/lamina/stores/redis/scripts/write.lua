-- Everything that changes records: a whole commit, or the two halves of one that another store has
-- a part in. Redis runs a script as one step, so nothing here is ever seen half done.
--
-- KEYS[1] is the hash of what the store knows about itself; every other key begins as that does.
-- ARGV[1] says what to do, ARGV[2] is the commit as JSON, or the name of one that waits. Numbers
-- that matter travel as text, because those of JSON lose digits here.

local P = string.sub(KEYS[1], 1, -5)
local US = '\31'
local call = redis.call

local time = call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local RECEIPTS_MS = '2592000000' -- thirty days
local SWEPT = 64 -- how much that has run out a commit takes along

local function whole(number)
    return string.format('%.0f', number)
end

-- The log ---------------------------------------------------------------------------------------

-- A server that was restarted may have lost what it wrote last, or all of it. The numbers of events
-- leap then, so that none ever stands for two of them: to the time in microseconds, which no number
-- has reached before, and by a million where the clock was set back.
local LEAP = 1000000

local function booted()
    local run = string.match(call('INFO', 'server'), 'run_id:(%x+)')
    if call('HGET', KEYS[1], 'run') ~= run then
        local boot = tonumber(call('HGET', KEYS[1], 'boot')) + 1
        local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
        call('HSET', KEYS[1], 'boot', whole(math.max(boot, micros)), 'run', run)
    end
    return tonumber(call('HGET', KEYS[1], 'boot'))
end

local function head_of(stream, boot)
    local found = call('HGET', P .. 'heads', stream)
    if not found then
        return { seq = boot - 1, at = '' }
    end
    local seq, since, at = string.match(found, '^(%d+)' .. US .. '(%d+)' .. US .. '([^' .. US .. ']+)')
    seq = tonumber(seq)
    if tonumber(since) ~= boot then
        seq = math.max(seq + LEAP, boot - 1)
    end
    return { seq = seq, at = at }
end

local function forget_oldest(stream, most)
    local log = P .. 'log:' .. stream
    local excess = call('XLEN', log) - tonumber(most)
    if excess <= 0 then
        return
    end
    local last
    for _, entry in ipairs(call('XRANGE', log, '-', '+', 'COUNT', excess)) do
        local tx, id, rev = string.match(entry[2][2], '^([^' .. US .. ']*)' .. US .. '([^' .. US .. ']*)' .. US .. '(%d+)')
        call('HDEL', P .. 'tx', tx)
        call('LPOP', P .. 'of:' .. id)
        if call('HGET', P .. 'r:' .. id, 'rev') ~= rev then
            call('HDEL', P .. 'r:' .. id, 'v' .. rev)
        end
        last = entry[1]
    end
    call('XDEL', log, last)
    call('XTRIM', log, 'MINID', last)
end

-- Records ---------------------------------------------------------------------------------------

local function drop_vectors(id)
    for _, space in ipairs(call('HKEYS', P .. 'spaces')) do
        call('HDEL', P .. 'vector:' .. space, id)
    end
end

local function sweep(most)
    local due = call('ZRANGEBYSCORE', P .. 'due', '-inf', whole(now), 'LIMIT', 0, most)
    for _, member in ipairs(due) do
        local id, set = string.match(member, '^([^' .. US .. ']*)' .. US .. '(.*)$')
        call('DEL', P .. 'r:' .. id, P .. 'use:' .. id)
        call('ZREM', P .. 'in:' .. set, id)
        call('SREM', P .. 'sealed', id)
        drop_vectors(id)
        call('ZREM', P .. 'due', member)
    end
    return #due
end

local function leave_place(step)
    if step.left and call('GET', P .. 'at:' .. step.left) == step.id then
        call('DEL', P .. 'at:' .. step.left)
    end
end

local function erase(step)
    call('DEL', P .. 'r:' .. step.id, P .. 'use:' .. step.id, P .. 'notices')
    call('ZREM', P .. 'in:' .. step.set, step.id)
    call('ZREM', P .. 'due', step.id .. US .. step.set)
    call('SREM', P .. 'sealed', step.id)
    call('SADD', P .. 'gone', step.id)
    drop_vectors(step.id)
    for _, receipt in ipairs(call('SMEMBERS', P .. 'asked-of:' .. step.id)) do
        call('DEL', P .. 'receipt:' .. receipt)
    end
    call('DEL', P .. 'asked-of:' .. step.id)
end

local function drop_older(key, kept)
    local revs = {}
    for _, field in ipairs(call('HKEYS', key)) do
        local rev = string.match(field, '^v(%d+)$')
        if rev then
            revs[#revs + 1] = tonumber(rev)
        end
    end
    table.sort(revs, function(one, other) return one > other end)
    for place = kept + 2, #revs do
        call('HDEL', key, 'v' .. whole(revs[place]))
    end
end

local function index(key, step)
    if step.terms and step.terms ~= '' then
        call('HSET', key, 'terms', step.terms)
    elseif step.terms then
        call('HDEL', key, 'terms')
    end
end

local function keep(step, at)
    local key = P .. 'r:' .. step.id
    if step.body then
        local n = call('HGET', key, 'n') or call('HINCRBY', KEYS[1], 'order', 1)
        call('HSET', key, 'n', n, 'rev', step.rev, 'set', step.set, 'stream', step.stream,
            'slot', step.slot, 'v' .. step.rev, at .. '\n' .. step.body)
        for _, box in ipairs(step.sealed) do
            call('HSET', key, 's' .. box[1], box[2])
            call('SADD', P .. 'sealed', step.id)
        end
        if step.kept then
            drop_older(key, tonumber(step.kept))
        end
        call('ZADD', P .. 'in:' .. step.set, n, step.id)
        call('SADD', P .. 'sets:' .. step.stream, step.set)
        index(key, step)
    end
    if step.place then
        call('SET', P .. 'at:' .. step.place, step.id)
    end
    local member = step.id .. US .. step.set
    if step.ends then
        call('ZADD', P .. 'due', step.ends, member)
        call('PEXPIREAT', key, step.ends)
        call('PEXPIREAT', P .. 'use:' .. step.id, step.ends)
        if step.place then
            call('PEXPIREAT', P .. 'at:' .. step.place, step.ends)
        end
    elseif call('ZREM', P .. 'due', member) == 1 then
        call('PERSIST', key)
        call('PERSIST', P .. 'use:' .. step.id)
    end
end

-- A commit --------------------------------------------------------------------------------------

local function remember(said, seqs, at)
    if not said.receipt then
        return
    end
    local key = P .. 'receipt:' .. said.receipt
    call('HSET', key, 'request', said.request, 'tx', said.tx, 'outcomes', said.outcomes,
        'durability', said.durability, 'seqs', seqs)
    call('PEXPIRE', key, RECEIPTS_MS)
    for _, id in ipairs(said.asked) do
        call('SADD', P .. 'asked-of:' .. id, said.receipt)
        call('PEXPIRE', P .. 'asked-of:' .. id, RECEIPTS_MS)
    end
    if at then
        call('ZADD', P .. 'asked', 0, at .. US .. said.receipt)
    end
end

local function apply(said)
    local boot, heads, spans, first = booted(), {}, {}, nil
    for _, step in ipairs(said.steps) do
        local stream = step.stream
        local head = heads[stream] or head_of(stream, boot)
        head.seq = head.seq + 1
        -- Text of one width: it sorts as the time does.
        head.at = head.at > said.at and head.at or said.at
        heads[stream] = head
        local seq = whole(head.seq)
        local mark = redis.sha1hex(said.tx .. stream .. seq)
        local event = table.concat({ said.tx, step.id, step.rev, step.action, said.actor,
            said.surface, head.at, mark }, US)
        call('XADD', P .. 'log:' .. stream, seq .. '-0', 'e', event)
        call('HSET', P .. 'heads', stream, table.concat({ seq, whole(boot), head.at, mark }, US))
        call('RPUSH', P .. 'of:' .. step.id, stream .. US .. seq)
        spans[stream] = { spans[stream] and spans[stream][1] or seq, seq }
        first = first or head.at
        leave_place(step)
        if step.action == 'erased' then
            erase(step)
        else
            keep(step, head.at)
        end
    end
    local listed = {}
    for stream, span in pairs(spans) do
        listed[#listed + 1] = { stream, span[1], span[2] }
        forget_oldest(stream, said.most)
    end
    local seqs = #listed == 0 and '[]' or cjson.encode(listed)
    if #listed > 0 then
        call('HSET', P .. 'tx', said.tx, seqs)
    end
    remember(said, seqs, first)
    sweep(SWEPT)
    call('PUBLISH', P .. 'wake', whole(call('INCR', P .. 'pulse')))
    return { 'done', seqs }
end

local function holder_of(said)
    if call('EXISTS', P .. 'held') == 0 then
        return nil
    end
    for _, held in ipairs(said.holds) do
        local tx = call('HGET', P .. 'held', held)
        if tx and tx ~= said.tx then
            return tx
        end
    end
    return nil
end

-- Why a commit that was planned on what stood there cannot be carried out now, if it cannot.
local function obstacle(said)
    if call('HGET', KEYS[1], 'identity') ~= said.identity then
        return { 'stranger' }
    end
    local before = call('HGET', P .. 'tx', said.tx)
    if before then
        return { 'done', before }
    end
    if said.receipt and call('EXISTS', P .. 'receipt:' .. said.receipt) == 1 then
        return { 'changed' }
    end
    if (call('HGET', KEYS[1], 'chosen') or '') ~= said.chosen then
        return { 'changed' }
    end
    for _, seen in ipairs(said.records) do
        if (call('HGET', P .. 'r:' .. seen[1], 'rev') or '') ~= seen[2] then
            return { 'changed' }
        end
    end
    for _, seen in ipairs(said.places) do
        if (call('GET', P .. 'at:' .. seen[1]) or '') ~= seen[2] then
            return { 'changed' }
        end
    end
    local tx = holder_of(said)
    return tx and { 'held', tx } or nil
end

local function release(tx, said)
    for _, held in ipairs(said.holds) do
        if call('HGET', P .. 'held', held) == tx then
            call('HDEL', P .. 'held', held)
        end
    end
    call('DEL', P .. 'waits:' .. tx)
    call('ZREM', P .. 'waiting', tx)
end

local modes = {}

function modes.commit(text)
    local said = cjson.decode(text)
    return obstacle(said) or apply(said)
end

-- The first half: nothing changes, but what it was planned on stays as it is until the second.
function modes.prepare(text)
    local said = cjson.decode(text)
    local stands = obstacle(said)
    if stands then
        return stands
    end
    for _, held in ipairs(said.holds) do
        call('HSET', P .. 'held', held, said.tx)
    end
    call('SET', P .. 'waits:' .. said.tx, text)
    call('ZADD', P .. 'waiting', whole(now), said.tx)
    return { 'prepared' }
end

function modes.finish(tx)
    local text = call('GET', P .. 'waits:' .. tx)
    if not text then
        local before = call('HGET', P .. 'tx', tx)
        return before and { 'done', before } or { 'unknown' }
    end
    local said = cjson.decode(text)
    release(tx, said)
    return apply(said)
end

function modes.abandon(tx)
    local text = call('GET', P .. 'waits:' .. tx)
    if text then
        release(tx, cjson.decode(text))
    end
    return { 'abandoned' }
end

function modes.sweep(most)
    return { whole(sweep(tonumber(most))) }
end

return modes[ARGV[1]](ARGV[2])
