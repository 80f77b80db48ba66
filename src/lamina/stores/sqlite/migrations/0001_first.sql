-- The first schema. Content lives once, in `version`; `event` holds none.

create table stream (
  sid        integer primary key,
  name       text not null unique,
  seq        integer not null,
  hash       blob not null,
  at         text,
  documents  integer not null default 0,   -- indexed records, and their tokens: the statistics
  tokens     integer not null default 0    -- of keyword search, kept per stream
);

create table record (
  rid        integer primary key,          -- vid of the first version: the order of creation
  id         text not null unique,
  sid        integer not null references stream,
  scope      text not null,
  layer      text not null,
  key        text,
  created_at text not null,
  head       integer not null,             -- vid of the newest version
  length     integer not null default 0    -- tokens in the keyword index; 0 when not indexed
);
-- Reads are confined to scopes; without this every query would walk all tenants.
create index record_scope on record (scope, layer);

create table version (
  vid        integer primary key,
  rid        integer not null references record,
  rev        integer not null,
  prev       integer,                      -- vid of the version before; saves an index by record
  from_seq   integer not null,
  to_seq     integer,                      -- null while it is the newest
  place      text,                         -- the slot it holds while current and newest
  state      text not null,
  kind       text not null,
  text       text not null,
  data       text not null,
  tags       text not null,
  importance real not null,
  confidence real not null,
  trust      text not null,
  source     text not null,
  tokens     integer not null,
  updated_at text not null,
  valid_from text,
  expires_at text,
  supersedes text,
  salt       blob not null
);
-- One current record in a slot, whatever races there are.
create unique index version_place on version (place) where place is not null;

create table event (
  sid        integer not null references stream,
  seq        integer not null,
  tx         text not null,
  record     text not null,
  rev        integer not null,
  action     text not null,
  actor      text not null,
  surface    text not null,
  at         text not null,
  digest     blob not null,
  hash       blob not null,
  primary key (sid, seq)
) without rowid;
-- A record's history is read often; a transaction's events only to undo it, which may walk.
create index event_record on event (record);

create table receipt (
  owner      text not null,
  key        text not null,                -- a digest: a caller's key may itself say something
  request    text not null,
  tx         text not null,
  body       text not null,
  primary key (owner, key)
) without rowid;

create table sealed (
  rid        integer not null references record,
  ref        text not null,
  kind       text not null,
  nonce      blob not null,
  box        blob not null,
  primary key (rid, ref)
) without rowid;

create table setting (
  name       text primary key,
  value      text not null
) without rowid;

-- Tokens come from our own analyser, each behind the number of its stream, so that the postings,
-- document counts and vocabulary of one stream are its own. White space is the only separator.
-- The table keeps its content: a contentless one would leave deleted words on the disk.
create virtual table word using fts5 (
  body, columnsize=0,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
insert into word (word, rank) values ('secure-delete', 1);
create virtual table word_posting using fts5vocab (word, instance);
create virtual table word_count using fts5vocab (word, row);

-- The tables of the published designs, for anyone with a SQL prompt.
create view knowledge as
  select r.id, substr(r.scope, 9) as project, v.kind as category, r.key, v.text as value,
         v.source, v.confidence, r.created_at, v.updated_at
  from record r join version v on v.vid = r.head
  where r.layer = 'knowledge' and v.state = 'current' and r.scope glob 'project/*';

create view episodes as
  select r.id, json_extract(v.data, '$.task_id') as task_id, v.source as agent_id,
         v.kind as action, coalesce(json_extract(v.data, '$.approach'), v.text) as approach,
         json_extract(v.data, '$.outcome') as outcome,
         json_extract(v.data, '$.duration_ms') as duration_ms,
         json_extract(v.data, '$.tokens_in') as tokens_in,
         json_extract(v.data, '$.tokens_out') as tokens_out, r.created_at
  from record r join version v on v.vid = r.head
  where r.layer = 'episode' and v.state = 'current';

create view artifacts as
  select r.id, json_extract(v.data, '$.task_id') as task_id, v.source as agent_id,
         v.kind as type, r.key as path, v.text as description,
         json_extract(v.data, '$.size_bytes') as size_bytes,
         json_extract(v.data, '$.checksum') as checksum, r.created_at
  from record r join version v on v.vid = r.head
  where r.layer = 'artifact' and v.state = 'current';

create view user_facts as
  select r.rid as id, r.scope, r.key, v.text as value, v.kind as category,
         r.created_at, v.updated_at
  from record r join version v on v.vid = r.head
  where r.layer = 'fact' and v.state = 'current';

create view log_metadata as
  select r.rid as id, r.scope, r.created_at as timestamp, v.kind as entry_type,
         lower(hex(e.digest)) as content_hash, v.state = 'archived' as compacted,
         v.tokens as token_count
  from record r join version v on v.vid = r.head
  join event e on e.sid = r.sid and e.seq = v.from_seq
  where r.layer = 'log' and v.state in ('current', 'archived');

create view compaction_history as
  select r.rid as id, r.scope, r.created_at as compacted_at,
         json_extract(v.data, '$.entries_count') as entries_count, v.text as summary,
         r.id as archive_id, json_extract(v.data, '$.original_size_kb') as original_size_kb,
         json_extract(v.data, '$.new_size_kb') as new_size_kb
  from record r join version v on v.vid = r.head
  where r.layer = 'archive' and v.kind = 'summary' and v.state in ('current', 'archived');
