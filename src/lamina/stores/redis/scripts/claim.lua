-- Take an empty place for a store, or say whose it is. ARGV: the identity that is wanted, the format,
-- and `new` when nobody can have seen an event of it before.

if not redis.call('HGET', KEYS[1], 'identity') then
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
    -- Numbers beyond all that were given before the memory was lost: see `booted` in write.lua.
    local time = redis.call('TIME')
    local boot = ARGV[3] == 'new' and '1' or string.format('%d%06d', time[1], time[2])
    redis.call('HSET', KEYS[1], 'identity', ARGV[1], 'format', ARGV[2], 'boot', boot, 'run', run)
end
return redis.call('HMGET', KEYS[1], 'identity', 'format')
