-- The views of before read names that no layer writes, so task, size and checksum were always null;
-- and an agent's own knowledge had a project that is called like no project.
drop view knowledge;
create view knowledge as
  select r.id,
         substr(r.scope, 9, instr(substr(r.scope, 9) || '/', '/') - 1) as project,
         v.kind as category, r.key, v.text as value, v.source, v.confidence, r.created_at,
         v.updated_at
  from record r join version v on v.vid = r.head
  where r.layer = 'knowledge' and v.state = 'current' and r.scope glob 'project/*';

drop view episodes;
create view episodes as
  select r.id, json_extract(v.data, '$.task') as task_id, v.source as agent_id,
         v.kind as action, coalesce(json_extract(v.data, '$.approach'), v.text) as approach,
         json_extract(v.data, '$.outcome') as outcome,
         json_extract(v.data, '$.duration_ms') as duration_ms,
         json_extract(v.data, '$.tokens_in') as tokens_in,
         json_extract(v.data, '$.tokens_out') as tokens_out, r.created_at
  from record r join version v on v.vid = r.head
  where r.layer = 'episode' and v.state = 'current';

drop view artifacts;
create view artifacts as
  select r.id, json_extract(v.data, '$.task') as task_id, v.source as agent_id,
         v.kind as type, r.key as path, v.text as description,
         json_extract(v.data, '$.size') as size_bytes,
         json_extract(v.data, '$.sha256') as checksum, r.created_at
  from record r join version v on v.vid = r.head
  where r.layer = 'artifact' and v.state = 'current';
