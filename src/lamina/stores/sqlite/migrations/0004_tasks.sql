-- Episodes and artifacts are asked for by task; without this each answer would read them all.
-- Text that is damaged has no task, rather than no place in the table.
create index version_task on version (
  case when json_valid(data) then json_extract(data, '$.task') end
) where case when json_valid(data) then json_extract(data, '$.task') end is not null;
