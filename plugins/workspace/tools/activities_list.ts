import { choice, contains, defineTool, iso, sql, Type, type RawBuilder } from 'tasuki/plugin'
import { itemRef, matchRef, ownerEmail, readRef, refsCondition, type RefRow } from '../../items/refs.ts'

const ACTOR_KINDS = ['human', 'assistant', 'agent', 'system'] as const

const Activity = Type.Object({
  kind: Type.String(),
  from: Type.Optional(Type.Unknown({ description: 'A long text is {length, excerpt}.' })),
  to: Type.Optional(Type.Unknown()),
  reason: Type.Optional(Type.String()),
  actor_kind: choice(ACTOR_KINDS),
  actor: Type.Optional(Type.String()),
  client: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
  tool: Type.String(),
  created_at: Type.String(),
})

interface Row extends RefRow {
  readonly title: string
  readonly activities: readonly (typeof Activity)['static'][]
  readonly kinds: readonly string[]
}

export const activitiesList = defineTool({
  name: 'activities_list',
  class: 'R',
  title: 'List activities',
  summary: 'Lists the change history of one item, newest first: what changed, who did it and with which client.',
  rank: 420,
  input: Type.Object(
    {
      item_ref: itemRef(),
      kind: Type.Optional(
        Type.String({
          description: 'item.completed, or item.due_date.*.',
        }),
      ),
      actor_kind: Type.Optional(choice(ACTOR_KINDS, { description: 'Whose changes.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Page size.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    item_ref: Type.String(),
    activities: Type.Array(Activity),
    has_more: Type.Boolean(),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  rows: 'activities',
  async run(ctx, { item_ref, kind, actor_kind, limit = 20 }) {
    const ref = readRef(ctx, item_ref, 'item_ref')
    const ofItem = sql`from workspace.activities a where a.owner_id = i.owner_id and a.item_id = i.id`
    const { rows } = await sql<Row>`
      select i.owner_id as "ownerId", i.number, p.key, ${ownerEmail} as "ownerEmail", i.title,
        coalesce((select json_agg(x.activity order by x.id desc) from (
          select a.id, json_strip_nulls(json_build_object('kind', a.kind, 'from', a.from_value, 'to', a.to_value, 'reason', a.reason,
            'actor_kind', a.actor_kind, 'actor', (select coalesce(nullif(u.name, ''), u.email) from core.users u where u.id = a.actor_user_id),
            'client', a.client, 'credential', a.credential_label, 'tool', a.call, 'created_at', ${iso('a.created_at')})) as activity
          ${ofItem} and ${kind === undefined ? sql`true` : ofKind(kind)} and ${actor_kind === undefined ? sql`true` : sql`a.actor_kind = ${actor_kind}`}
          order by a.id desc limit ${limit + 1}) x), '[]') as activities,
        ${kind === undefined ? sql`'[]'::json` : sql`coalesce((select json_agg(distinct a.kind) ${ofItem}), '[]')`} as kinds
      from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where ${refsCondition(ctx, [ref])}
    `.execute(ctx.db)
    const item = matchRef(ctx, ref, rows, item_ref, 'item_ref')
    const { activities, kinds } = item
    return {
      item_ref: `${item.key}#${item.number}`,
      activities: activities.slice(0, limit),
      has_more: activities.length > limit,
      ...(kind !== undefined && activities.length === 0 && { warnings: [noneOf(kind, kinds)] }),
    }
  },
})

/** `item.` and `item.*` are beginnings, everything else is the whole kind. */
function ofKind(text: string): RawBuilder<boolean> {
  const kind = text.trim().toLowerCase()
  if (!kind.endsWith('.') && !kind.endsWith('.*')) return sql<boolean>`a.kind = ${kind}`
  return sql<boolean>`a.kind like ${contains(kind.replace(/\*$/, '')).slice(1)}`
}

function noneOf(kind: string, kinds: readonly string[]): string {
  return `No activity of kind ${kind}; this item has: ${kinds.slice(0, 20).join(', ')}.`
}
