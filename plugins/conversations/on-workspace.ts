import { iso, sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { keyColumn, visible } from '../projects/index.ts'
import { overviewSections } from '../workspace/points.ts'
import { isOpen, partyOf, seenThread, threadSchema } from './thread.ts'

/** Threads that the overview tells of, and messages of each that its summary is made from. */
const SHOWN = 3
const READ = 100

/** What was said last, which tools were called how often, and what they were about; from the thread `t`. */
const summary = sql`(
  with m as materialized (
    select * from conversations.messages m where m.owner_id = t.owner_id and m.thread_id = t.id order by m.id desc limit ${sql.lit(READ)})
  select concat_ws('; ',
    (select '"' || left(regexp_replace(m.content, '\\s+', ' ', 'g'), 80) || case when length(m.content) > 80 then '…"' else '"' end
      from m where m.role = 'user' order by m.id desc limit 1),
    (select string_agg(x.tool || case when x.calls > 1 then ' ×' || x.calls else '' end, ', ' order by x.calls desc, x.tool)
      from (select m.tool, count(*) as calls from m where m.tool is not null group by m.tool order by 2 desc, 1 limit 3) x),
    (select string_agg(x.ref, ', ' order by x.id desc) from (
      select r.ref, max(m.id::text) as id from m, jsonb_array_elements_text(m.refs) as r (ref) where r.ref like '%#%'
      group by r.ref order by 2 desc limit 3) x)))`

/** The last conversations of the caller; `query` finds them with their ids. */
const conversations = overviewSections({
  name: 'conversations',
  schema: Type.Array(
    Type.Object({
      ...Type.Pick(threadSchema, ['title', 'client', 'last_at']).properties,
      open: Type.Optional(Type.Literal(true)),
      summary: Type.String(),
      plan_ref: Type.Optional(Type.String()),
    }),
  ),
  sql: ctx => sql`
    select jsonb_agg(x.thread order by x.last_at desc, x.id desc) from (
      select t.last_at, t.id, jsonb_strip_nulls(jsonb_build_object('title', t.title, 'client', nullif(t.client, ''), 'last_at', ${iso('t.last_at')},
        'open', nullif(${isOpen(ctx, 't')}, false), 'summary', ${summary},
        'plan_ref', (select ${keyColumn(ctx, 'p')} || '#' || i.number from (select 1) one ${joinPlan(ctx, 't.owner_id', 't.id')}))) as thread
      from conversations.threads t where ${seenThread(ctx)} order by t.last_at desc, t.id desc limit ${sql.lit(SHOWN)}) x`,
})

/** The plan of the conversation that the caller is in. */
const plan = overviewSections({
  name: 'plan',
  schema: Type.Object(
    { ref: Type.String(), title: Type.String(), detail: Type.String(), updated_at: Type.String() },
    { description: 'The plan note of this conversation; keep it up to date with items_patch.' },
  ),
  sql: ctx => {
    const { ownerId, credential, client } = partyOf(ctx.actor)
    return sql`
      select jsonb_build_object('ref', ${keyColumn(ctx, 'p')} || '#' || i.number, 'title', i.title, 'detail', left(i.detail, 280),
        'updated_at', ${iso('i.updated_at')})
      from conversations.current c ${joinPlan(ctx, 'c.owner_id', 'c.thread_id')}
      where c.owner_id = ${ownerId} and c.credential = ${credential} and c.client = ${client} and ${isOpen(ctx, 'c')}`
  },
})

function joinPlan(ctx: ReadContext, owner: string, thread: string): RawBuilder<unknown> {
  return sql`
    join conversations.plans pl on pl.owner_id = ${sql.ref(owner)} and pl.thread_id = ${sql.ref(thread)}
    join items.items i on i.owner_id = pl.item_owner_id and i.id = pl.item_id and i.archived_at is null and ${visible(ctx, 'i')}
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id`
}

/** Everything that conversations add to the overview. */
export const onWorkspace = [conversations, plan]
