-- Where texts lie for an embedder. A write makes none: what lies behind `mark` is pending, so that
-- a record and the mark of its missing vector are one commit, and a write costs nothing more.
create table space (
  space       integer primary key,
  fingerprint text not null unique,        -- of the embedder; spaces are never mixed
  dimensions  integer not null,
  mark        integer not null,            -- every indexed record up to this vid was seen to
  made        integer not null             -- the last number given out, of all spaces
);

create table vector (
  n          integer primary key,          -- the order of making, which derived indexes follow
  space      integer not null references space,
  rid        integer not null references record,
  vid        integer not null,             -- the version it was made of
  body       blob,                         -- 16-bit floats; null when the embedder could not
  sum        integer not null,             -- of the body, so that damage shows
  unique (rid, space)
);
