import { iso, sql, type Expression, type ReadContext } from 'tasuki/plugin'
import { refColumn, visible } from '../projects/index.ts'
import { isCurrent, isOpen, isVisibleThread } from './thread.repository.ts'

/** Number of messages that the summary of a thread covers. */
const MAX_MESSAGES = 100

/** The last message, the number of calls per tool, and the items of the thread `t`. */
const summary = sql`(
  with m as materialized (
    select * from conversations.messages m where m.owner_id = t.owner_id and m.thread_id = t.id order by m.id desc limit ${sql.lit(MAX_MESSAGES)})
  select concat_ws('; ',
    (select '"' || left(regexp_replace(m.content, '\\s+', ' ', 'g'), 80) || case when length(m.content) > 80 then '…"' else '"' end
      from m where m.role = 'user' order by m.id desc limit 1),
    (select string_agg(x.tool || case when x.calls > 1 then ' ×' || x.calls else '' end, ', ' order by x.calls desc, x.tool)
      from (select m.tool, count(*) as calls from m where m.tool is not null group by m.tool order by 2 desc, 1 limit 3) x),
    (select string_agg(x.ref, ', ' order by x.id desc) from (
      select r.ref, max(m.id::text) as id from m, jsonb_array_elements_text(m.refs) as r (ref) where r.ref like '%#%'
      group by r.ref order by 2 desc limit 3) x)))`

/** Joins the plan of a thread as the item `i`, with its project `p`. */
function joinPlan(ctx: ReadContext, thread: 't.id' | 'c.thread_id'): Expression<unknown> {
  const owner = sql.ref(thread === 't.id' ? 't.owner_id' : 'c.owner_id')
  return sql`
    join conversations.plans pl on pl.owner_id = ${owner} and pl.thread_id = ${sql.ref(thread)}
    join items.items i on i.owner_id = pl.item_owner_id and i.id = pl.item_id and i.archived_at is null and ${visible(ctx, 'i')}
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id`
}

/** Returns SQL for the caller's latest threads as a jsonb array. */
export function lastThreads(ctx: ReadContext, limit: number): Expression<unknown> {
  return sql`
    select jsonb_agg(x.thread order by x.last_at desc, x.id desc) from (
      select t.last_at, t.id, jsonb_strip_nulls(jsonb_build_object('title', t.title, 'client', nullif(t.client, ''), 'last_at', ${iso('t.last_at')},
        'open', nullif(${isOpen(ctx)}, false), 'summary', ${summary},
        'plan_ref', (select ${refColumn(ctx)} from (select 1) one ${joinPlan(ctx, 't.id')}))) as thread
      from conversations.threads t where ${isVisibleThread(ctx)} order by t.last_at desc, t.id desc limit ${sql.lit(limit)}) x`
}

/** Returns SQL for the plan of the caller's current thread as one jsonb record. */
export function currentPlan(ctx: ReadContext): Expression<unknown> {
  return sql`
    select jsonb_build_object('ref', ${refColumn(ctx)}, 'title', i.title, 'detail', left(i.detail, 280),
      'updated_at', ${iso('i.updated_at')})
    from conversations.current c ${joinPlan(ctx, 'c.thread_id')} where ${isCurrent(ctx)}`
}
