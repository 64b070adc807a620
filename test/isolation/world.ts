import type { TestCaller, TestHost } from 'tasuki/testing'
import { sql } from 'tasuki/plugin'
import { linkRepository } from '../../plugins/code_refs/index.ts'
import { deliveryOf } from '../../plugins/code_refs/read-delivery.ts'
import { storeChanges } from '../../plugins/code_refs/receive.ts'
import { KEY } from '../bench/statements.ts'

/** Part of every text of the hidden project; no answer to a caller who may not see the project may contain it. */
export const MARKER = 'zqhid'
/** A word of the same length, for names that do not exist. */
export const ABSENT = 'zqabs'
const HIDDEN = MARKER.toUpperCase()

/** Makes a user a member of a project of the host's owner, or removes the user. */
export async function share(
  host: TestHost,
  key: string,
  userId: string,
  role: 'editor' | 'viewer' | null,
): Promise<void> {
  await host.write(async ctx => {
    await sql`delete from projects.members m using projects.projects p where m.user_id = ${userId}
      and p.owner_id = ${host.userId} and p.key = ${key} and m.owner_id = p.owner_id and m.project_id = p.id`.execute(
      ctx.db,
    )
    if (role) {
      await sql`insert into projects.members (owner_id, project_id, user_id, role, created_at)
        select p.owner_id, p.id, ${userId}::uuid, ${role}, ${ctx.now}::timestamptz from projects.projects p
        where p.owner_id = ${host.userId} and p.key = ${key}`.execute(ctx.db)
    }
    ctx.claimsChanged([userId])
  })
}

export async function projectId(host: TestHost, key: string): Promise<string> {
  const [row] = await host.sql<{
    id: string
  }>`select id from projects.projects where owner_id = ${host.userId} and key = ${key}`
  return row!.id
}

/** A reference to a hidden record, and a reference of the same form to nothing. */
export interface Pair {
  readonly kind: string
  readonly hidden: string
  readonly absent: string
}

/** Number in references to nothing, and number of the first hidden item. */
const ABSENT_NUMBER = '987654'
const FIRST_NUMBER = 500_000
/** Matches both kinds of numbers. */
export const NUMBERS = /5000\d\d|987654/g

/** The records of the hidden project, as references. */
export interface Hidden {
  readonly pairs: readonly Pair[]
  /** Ids of the hidden records. */
  readonly ids: readonly string[]
}

/**
 * Adds a hidden project with one record of every kind to the owner's account, links its items with items that others see, and mentions them
 * wherever a text can name a record.
 */
export async function addHidden(host: TestHost): Promise<Hidden> {
  const name = (what: string): string => `${MARKER} ${what}`
  const call = (tool: string, args: object) => host.call(tool, args)
  const project_key = HIDDEN
  // These numbers occur in no other text.
  await host.sql`update items.counters set next_number = ${FIRST_NUMBER} where owner_id = ${host.userId}`
  await call('projects_create', { key: HIDDEN, name: name('project'), description: name('description') })
  await call('workflows_create', { name: name('workflow') })
  await call('custom_sequences_create', { series_key: `${MARKER}-series`, prefix: `${HIDDEN}S`, name: name('series') })
  await call('project_areas_create', { project_key, name: name('area'), description: name('of area') })
  await call('project_labels_create', { project_key, name: name('label'), description: name('of label') })
  await call('versions_create', { project_key, name: name('version'), description: name('of version') })
  await call('project_custom_fields_create', { project_key, label: name('field') })
  const dates = { start_date: '2026-06-01', end_date: '2026-06-14', goal: name('goal') }
  await call('sprints_create', { project_key, name: name('past'), ...dates, status: 'active' })
  await call('sprints_close', { project_key, sprint: name('past') })
  await call('sprints_create', { project_key, name: name('sprint'), ...dates, status: 'active' })
  await call('sprints_note_set', { project_key, sprint: name('sprint'), slot: 'planning', body: name('plan') })
  const placed = { area_path: name('area'), labels: [name('label')], version: name('version'), sprint: name('sprint') }
  const create = async (more: object = {}): Promise<string> =>
    (
      await call('items_create', {
        project_key,
        title: name('task'),
        detail: name('body'),
        due_date: '2026-06-10',
        ...placed,
        ...more,
      })
    ).item.ref
  const ref = await create({ priority: 'urgent' })
  const moved = await create()
  const { item: note } = await call('notes_create', {
    project_key,
    title: name('note'),
    body: name('text'),
    folder: name('folder'),
  }).catch(() => call('notes_create', { project_key, title: name('note'), body: name('text') }))
  await call('items_rewrite_detail', { item_ref: note.ref, new_detail: name('new text') })
  const { item: template } = await call('templates_create', {
    project_key,
    title: name('template'),
    recurrence_rule: 'FREQ=DAILY',
  })
  await call('discussions_create', { item_ref: ref, body: `${name('said')} @editor @viewer @former`, kind: 'fact' })
  await call('reminders_create', { item_ref: ref, lead_time_minutes: 10 })
  await call('checklist_add', { item_ref: ref, content: name('step') })
  await call('items_set_custom_fields', { item_ref: ref, custom_fields: { [`${MARKER}_field`]: name('value') } }).catch(
    () => undefined,
  )
  await call('agile_meta_patch', { item_ref: ref, estimate: '3' })
  const file = { parent_kind: 'item', parent_ref: ref, filename: `${MARKER}.txt`, mime_type: 'text/plain' }
  await call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })
  await call('custom_numbers_assign', { item_ref: ref, series_key: `${MARKER}-series` })
  await call('items_complete', { item_ref: await create() })
  await addCommit(host, HIDDEN, `${MARKER} commit for ${moved}`)
  // Visible records mention hidden ones.
  const visible = `${KEY}#2`
  const link = { relation_type: 'reference', source_item_ref: visible, target_item_ref: ref }
  await call('relations_create', link)
  await call('relations_create', {
    ...link,
    relation_type: 'duplicate',
    source_item_ref: ref,
    target_item_ref: visible,
  })
  await call('items_patch', { item_ref: visible, parent: ref })
  await call('items_patch', { item_ref: moved, parent: visible })
  const rows = await host.sql<{ kind: string; id: string }>`
    select 'project' as kind, id from projects.projects where owner_id = ${host.userId} and key = ${HIDDEN}
    union all select * from (select 'item', i.id from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where i.owner_id = ${host.userId} and p.key = ${HIDDEN} order by i.number) x
    union all select 'label', id from labels.labels where name like ${`${MARKER}%`}
    union all select 'area', id from areas.areas where name like ${`${MARKER}%`}
    union all select 'version', id from versions.versions where name like ${`${MARKER}%`}
    union all select 'sprint', id from sprints.sprints where name like ${`${MARKER}%`}
    union all select 'field', id from custom_fields.fields where label like ${`${MARKER}%`}
    union all select 'workflow', id from workflows.workflows where name like ${`${MARKER}%`}
    union all select 'state', s.id from workflows.states s join workflows.workflows w on w.id = s.workflow_id where w.name like ${`${MARKER}%`}
    union all select 'transition', t.id from workflows.transitions t join workflows.workflows w on w.id = t.workflow_id where w.name like ${`${MARKER}%`}
    union all select 'discussion', id from discussions.discussions where body like ${`${MARKER}%`}
    union all select 'step', id from checklist.steps where content like ${`${MARKER}%`}
    union all select 'attachment', id from attachments.attachments where filename like ${`${MARKER}%`}
    union all select 'revision', id from items.revisions where detail like ${`${MARKER}%`}
    union all select 'reminder', r.id from reminders.reminders r join items.items i on i.owner_id = r.owner_id and i.id = r.item_id where i.title like ${`${MARKER}%`}
    union all select 'relation', r.id from relations.relations r join items.items i on i.owner_id = r.owner_id and i.id in (r.source_id, r.target_id) where i.title like ${`${MARKER}%`}
  `
  const first = new Map(rows.map(row => [row.kind, row.id]).toReversed() as [string, string][])
  const number = ref.split('#')[1]!
  const makePair = (what: string, make: (marker: string) => string): Pair => ({
    kind: what,
    hidden: make(MARKER),
    absent: make(ABSENT),
  })
  const owner = 'owner@example.com/'
  const pairs: Pair[] = [
    makePair('key', word => word.toUpperCase()),
    makePair('owned key', word => `${owner}${word.toUpperCase()}`),
    ...['', HIDDEN, `${owner}${HIDDEN}`].map(key => ({
      kind: key === '' ? 'bare ref' : key === HIDDEN ? 'ref' : 'owned ref',
      hidden: `${key}#${number}`,
      absent: `${key.replace(HIDDEN, ABSENT.toUpperCase())}#${ABSENT_NUMBER}`,
    })),
    { kind: 'dashed ref', hidden: `${HIDDEN}-${number}`, absent: `${ABSENT.toUpperCase()}-${ABSENT_NUMBER}` },
    { kind: 'display ref', hidden: `${HIDDEN}S-1`, absent: `${ABSENT.toUpperCase()}S-1` },
    { kind: 'note ref', hidden: note.ref, absent: `${ABSENT.toUpperCase()}#${ABSENT_NUMBER}` },
    { kind: 'template ref', hidden: template.ref, absent: `${ABSENT.toUpperCase()}#${ABSENT_NUMBER}` },
    ...['area', 'label', 'version', 'sprint', 'field', 'workflow', 'task', 'project'].map(what =>
      makePair(`${what} name`, word => `${word} ${what}`),
    ),
    makePair('series key', word => `${word}-series`),
    makePair('field key', word => `${word}_field`),
    ...[...first].map(([kind, id]) => ({
      kind: `${kind} id`,
      hidden: id,
      absent: `${id.slice(0, -8)}${id.endsWith('00000000') ? '11111111' : '00000000'}`,
    })),
  ]
  return { pairs, ids: rows.map(row => row.id) }
}

/** Changes every hidden record for which updates exist. */
export async function changeHidden(host: TestHost): Promise<void> {
  for (const tool of ['tasks_list', 'notes_list']) {
    const found = await host.call(tool, { project_key: HIDDEN })
    for (const { ref } of (found.items ?? found.notes) as { ref: string }[])
      await host.call('items_patch', { item_ref: ref, title: `${MARKER} changed` })
  }
  await host.call('sprints_update', { project_key: HIDDEN, sprint: `${MARKER} sprint`, goal: `${MARKER} other goal` })
}

/** Adds a commit of a linked repository. */
async function addCommit(host: TestHost, key: string, message: string): Promise<number> {
  const project = { ownerId: host.userId, id: await projectId(host, key), key }
  return host.write(async ctx => {
    const { id } = await linkRepository(ctx, project, 'github', `acme/${message.replaceAll(/\W/g, '-')}`)
    const link = { id, ownerId: host.userId }
    const nothing = { author: `${message} author`, state: null, branch: `${message} branch`, occurredAt: null }
    const change = {
      ...nothing,
      kind: 'commit' as const,
      externalId: message,
      title: message,
      url: `https://example.com/${message}`,
      texts: [message],
    }
    return (await storeChanges(ctx, link, deliveryOf([change]))).stored
  })
}

/** A caller whose answers the tests check. */
export interface Actor extends Pick<TestCaller, 'call' | 'rpc' | 'token'> {
  readonly name: string
  /** Whether the caller sees no record of the owner. */
  readonly stranger: boolean
}
