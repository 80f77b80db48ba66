-- A name for the store, so that a cursor or an anchor taken from another one is noticed.
insert or ignore into setting values ('identity', lower(hex(randomblob(16))));

-- Who read and searched what, where somebody asked to know. Not part of the log: bounded, written
-- in batches, emptied by every erase.
create table telemetry (
  tid        integer primary key,
  at         text not null,
  kind       text not null,
  actor      text not null,
  scope      text not null,
  layer      text not null,                -- empty when it is about no single layer
  body       text not null
);

-- Agents ask by key at every turn; without this each answer would walk the whole scope.
create index record_key on record (key) where key is not null;
