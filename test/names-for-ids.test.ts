import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { ToolFailure } from 'tasuki/testing'
import { CATALOG } from './catalog.ts'
import { forEachEngine } from './engines.ts'
import { itemsHost, type Item, type ItemsUser } from './plugins/items/setup.ts'

/** Parameters whose records have no distinguishing name. */
const NAMELESS = new Set([
  'attachment_id',
  'checklist_item_id',
  'discussion_id',
  'parent_id', // parent of attachments: a discussion or a message
  'relation_id',
  'reminder_id',
  'revision_id',
  'thread_id',
])

interface Named {
  readonly id: string
  readonly name: string
}

const FLOW = 'Flow of INBOX'
const key = { project_key: 'INBOX' }
const flow = { workflow_id: FLOW }
let made = 0
const fresh = (kind: string): string => `${kind} ${++made}`

const makers = {
  async area(user: ItemsUser): Promise<Named> {
    return (await user.call('project_areas_create', { ...key, name: fresh('Area') })).area
  },
  async label(user: ItemsUser): Promise<Named> {
    return (await user.call('project_labels_create', { ...key, name: fresh('Label') })).label
  },
  async sprint(user: ItemsUser): Promise<Named> {
    return (await user.call('sprints_create', { ...key, name: fresh('Sprint') })).sprint
  },
  async closedSprint(user: ItemsUser): Promise<Named> {
    return (await user.call('sprints_create', { ...key, name: fresh('Sprint'), status: 'closed' })).sprint
  },
  async state(user: ItemsUser): Promise<Named> {
    const input = { ...flow, name: fresh('State'), system_status: 'open' }
    return (await user.call('workflow_states_create', input)).state
  },
  async workflow(user: ItemsUser): Promise<Named> {
    const { states } = await user.call('workflow_states_list', key)
    return { id: states[0].workflow_id, name: FLOW }
  },
  async transition(user: ItemsUser): Promise<Named> {
    const [from, to] = [await makers.state(user), await makers.state(user)]
    const input = { ...flow, from_state_id: from.id, to_state_id: to.id, kind: 'next' }
    const { transition } = await user.call('workflow_transitions_create', input)
    return { id: transition.id, name: `${from.name} → ${to.name}` }
  },
}

/** Builds a call that names a record by this text. */
type Use = (user: ItemsUser, value: string) => Promise<Item>

async function bulk(user: ItemsUser, tool: string, change: object): Promise<Item> {
  const item_refs = [await user.task('one'), await user.task('two')]
  const answer = await user.confirmed(tool, { item_refs, ...change })
  const failed = answer.results.find((result: Item) => !result['ok'])
  if (failed) throw Object.assign(new Error(failed.error.message), failed.error)
  assert.equal(answer.results[1].changed.length, 1)
  return answer
}

const statesOf = async (user: ItemsUser): Promise<Item[]> => (await user.call('workflow_states_list', key)).states

/** By `tool.parameter`: the kind of record, and a call that names a record of this kind. */
const USES: Readonly<Record<string, readonly [keyof typeof makers, Use]>> = {
  'items_bulk_patch.area_id': ['area', (user, area_id) => bulk(user, 'items_bulk_patch', { area_id })],
  'items_bulk_patch.sprint_id': ['sprint', (user, sprint_id) => bulk(user, 'items_bulk_patch', { sprint_id })],
  'items_bulk_patch.status_definition_id': [
    'state',
    (user, status_definition_id) => bulk(user, 'items_bulk_patch', { status_definition_id }),
  ],
  'items_bulk_patch_preview.sprint_id': [
    'sprint',
    (user, sprint_id) => bulk(user, 'items_bulk_patch_preview', { sprint_id }),
  ],
  'items_bulk_patch_preview.status_definition_id': [
    'state',
    (user, status_definition_id) => bulk(user, 'items_bulk_patch_preview', { status_definition_id }),
  ],
  'items_move_state.status_definition_id': [
    'state',
    async (user, status_definition_id) =>
      user.call('items_move_state', { item_ref: await user.task('one'), status_definition_id }),
  ],
  'agile_improvement_suggest.sprint_id': [
    'sprint',
    (user, sprint_id) => user.call('agile_improvement_suggest', { ...key, sprint_id }),
  ],
  'agile_retro_draft.sprint_id': ['closedSprint', (user, sprint_id) => user.call('agile_retro_draft', { sprint_id })],
  'agile_sprint_forecast.sprint_id': ['sprint', (user, sprint_id) => user.call('agile_sprint_forecast', { sprint_id })],
  'project_labels_delete.label_id': [
    'label',
    (user, label_id) => user.call('project_labels_delete', { ...key, label_id }),
  ],
  'project_labels_patch.label_id': [
    'label',
    (user, label_id) => user.call('project_labels_patch', { ...key, label_id, description: 'x' }),
  ],
  'workflow_states_create.workflow_id': [
    'workflow',
    (user, workflow_id) =>
      user.call('workflow_states_create', { workflow_id, name: fresh('State'), system_status: 'open' }),
  ],
  'workflow_states_delete.workflow_id': [
    'workflow',
    async (user, workflow_id) =>
      user.confirmed('workflow_states_delete', { workflow_id, state_id: (await makers.state(user)).id }),
  ],
  'workflow_states_delete.state_id': [
    'state',
    (user, state_id) => user.confirmed('workflow_states_delete', { ...flow, state_id }),
  ],
  'workflow_states_reorder.workflow_id': [
    'workflow',
    async (user, workflow_id) =>
      user.call('workflow_states_reorder', {
        workflow_id,
        state_ids: (await statesOf(user)).map(state => state['id']),
      }),
  ],
  'workflow_states_reorder.state_ids': [
    'state',
    async (user, value) => {
      const others = (await statesOf(user)).filter(({ id, name }) => ![id, nameKey(name)].includes(nameKey(value)))
      const state_ids = [value, ...others.map(({ name }) => name)]
      return user.call('workflow_states_reorder', { ...flow, state_ids })
    },
  ],
  'workflow_states_update.workflow_id': [
    'workflow',
    async (user, workflow_id) =>
      user.call('workflow_states_update', { workflow_id, state_id: (await makers.state(user)).id, description: 'x' }),
  ],
  'workflow_states_update.state_id': [
    'state',
    (user, state_id) => user.call('workflow_states_update', { ...flow, state_id, description: 'x' }),
  ],
  'workflow_transitions_create.workflow_id': [
    'workflow',
    async (user, workflow_id) => transition(user, { workflow_id }),
  ],
  'workflow_transitions_create.from_state_id': [
    'state',
    async (user, from_state_id) => transition(user, { from_state_id }),
  ],
  'workflow_transitions_create.to_state_id': ['state', async (user, to_state_id) => transition(user, { to_state_id })],
  'workflow_transitions_delete.workflow_id': [
    'workflow',
    async (user, workflow_id) => {
      const { id } = await makers.transition(user)
      return user.confirmed('workflow_transitions_delete', { workflow_id, transition_id: id })
    },
  ],
  'workflow_transitions_delete.transition_id': [
    'transition',
    (user, transition_id) => user.confirmed('workflow_transitions_delete', { ...flow, transition_id }),
  ],
  'workflow_transitions_list.from_state_id': [
    'state',
    (user, from_state_id) => user.call('workflow_transitions_list', { from_state_id }),
  ],
  'workflow_transitions_update.workflow_id': [
    'workflow',
    async (user, workflow_id) => {
      const { id } = await makers.transition(user)
      return user.call('workflow_transitions_update', { workflow_id, transition_id: id, kind: 'manual' })
    },
  ],
  'workflow_transitions_update.transition_id': [
    'transition',
    (user, transition_id) => user.call('workflow_transitions_update', { ...flow, transition_id, kind: 'manual' }),
  ],
}

async function transition(user: ItemsUser, value: object): Promise<Item> {
  const [from, to] = [await makers.state(user), await makers.state(user)]
  const input = { ...flow, from_state_id: from.id, to_state_id: to.id, kind: 'next', ...value }
  return user.call('workflow_transitions_create', input)
}

const nameKey = (name: string): string => name.normalize('NFKC').trim().toLowerCase()
const wide = (name: string): string =>
  name.replaceAll(/[A-Za-z0-9]/g, c => String.fromCharCode(c.charCodeAt(0) + 0xfee0))

test('every id parameter of the catalogue accepts names, unless its records have none', () => {
  const ids = CATALOG.flatMap(({ name, params }) =>
    Object.keys(params)
      .filter(param => /_ids?$/.test(param) && !NAMELESS.has(param))
      .map(param => `${name}.${param}`),
  )
  assert.deepEqual(Object.keys(USES).toSorted(), ids.toSorted())
})

forEachEngine('names instead of ids', engine => {
  const shared = itemsHost(engine)
  let user: ItemsUser
  before(async () => {
    user = await shared.newUser()
    await user.ownWorkflow('INBOX')
  })

  for (const [param, [kind, use]] of Object.entries(USES)) {
    test(`${param} takes the id and the name of a ${kind}, whatever the case and width`, async () => {
      const record = async (): Promise<Named> => makers[kind](user)
      await use(user, (await record()).id)
      await use(user, (await record()).name)
      await use(user, ` ${wide((await record()).name.toLowerCase())} `)
      const refused = await use(user, 'No such thing').catch((error: unknown) => error as ToolFailure)
      assert.ok(refused instanceof Error, 'a name that nothing has is refused')
      assert.match(refused.code, /^(not_found|workflow_mismatch|invalid_argument)$/)
    })
  }

  test('a transition is named by its states with any arrow', async () => {
    for (const arrow of ['->', ' => ', '→']) {
      const { id, name } = await makers.transition(user)
      const transition_id = name.replace(' → ', arrow)
      const { transition } = await user.call('workflow_transitions_update', { ...flow, transition_id, kind: 'manual' })
      assert.equal(transition.id, id)
    }
    await assert.rejects(user.call('workflow_transitions_update', { ...flow, transition_id: 'x -> y' }), {
      code: 'not_found',
      field: 'transition_id',
    })
  })

  test('an ambiguous name is refused with the alternatives', async () => {
    const other = await shared.newUser()
    for (const project of ['APP', 'WEB']) {
      await other.createProject(project)
      await other.ownWorkflow(project, { 'In review': 'Checking' })
      await other.call('sprints_create', { project_key: project, name: 'One' })
    }
    for (const [tool, field] of [
      ['workflow_transitions_list', 'from_state_id'],
      ['agile_sprint_forecast', 'sprint_id'],
    ] as const) {
      const value = field === 'sprint_id' ? 'one' : 'checking'
      const refused = await other.call(tool, { [field]: value }).catch((error: unknown) => error as ToolFailure)
      assert.deepEqual([refused.code, refused.field, refused.allowed.length], ['ambiguous_ref', field, 2])
      for (const allowed of refused.allowed) await other.call(tool, { [field]: allowed })
    }
  })
})
