-- How often recall handed a record out, and when last, apart for those confined to different roots:
-- what one project makes of what is global moves nothing in another. Not part of the log.
create table usage (
  rid        integer not null references record,
  root       text not null,                -- the stream of those who asked; empty for all others
  hits       integer not null,
  last       text not null,
  primary key (rid, root)
) without rowid;
