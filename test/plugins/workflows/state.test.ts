import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ToolError } from 'tasuki/plugin'
import {
  CATEGORIES,
  completeClassification,
  finalState,
  initialState,
  resolveState,
  STATUS_ATTRIBUTES,
  SYSTEM_STATUSES,
} from '../../../plugins/workflows/state.ts'
import type { WorkflowStateRow } from '../../../plugins/workflows/state.ts'
import { kindProblem, TRANSITION_KINDS } from '../../../plugins/workflows/transition.ts'
import { findCounterpart } from '../../../plugins/workflows/state.ts'
import { verifies } from '../../verifies.ts'

const status = fc.constantFrom(...SYSTEM_STATUSES)
const perhaps = <T>(values: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

const state = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 8 }),
    system_status: status,
    open: fc.constantFrom('todo', 'in_progress', 'review'),
    closed: fc.constantFrom('done', 'duplicate', 'wontfix'),
    is_default: fc.boolean(),
    display_order: fc.nat(20),
  })
  .map(({ name, system_status, open, closed, is_default, display_order }, n = 0): WorkflowStateRow => ({
    id: `${name}-${display_order}-${n}`,
    workflow_id: 'w',
    name,
    system_status,
    category: system_status === 'open' ? open : 'done',
    status_attribute: system_status === 'open' ? 'pending' : closed,
    is_default: is_default && system_status === 'open',
    display_order,
  }))

verifies(
  [
    'workflow.category_allowed',
    'workflow.attribute_allowed',
    'workflow.category_derived',
    'workflow.attribute_default',
  ],
  'category and attribute fit the status, are derived when omitted, and are refused otherwise',
  () => {
    const allowed = {
      open: { category: ['todo', 'in_progress', 'review'], status_attribute: ['pending'] },
      closed: { category: ['done'], status_attribute: ['done', 'duplicate', 'wontfix'] },
    }
    fc.assert(
      fc.property(
        status,
        perhaps(CATEGORIES),
        perhaps([...STATUS_ATTRIBUTES, 'nonsense']),
        (system, category, attribute) => {
          const problems: ToolError[] = []
          const result = completeClassification(system, { category, status_attribute: attribute }, problems)
          const wrong = [
            ...(category !== undefined && !allowed[system].category.includes(category) ? ['category'] : []),
            ...(attribute !== undefined && !allowed[system].status_attribute.includes(attribute)
              ? ['status_attribute']
              : []),
          ]
          assert.deepEqual(
            problems.map(({ help }) => help.field),
            wrong,
          )
          if (wrong.length > 0) return
          assert.equal(result.category, category ?? (system === 'open' ? 'todo' : 'done'))
          assert.equal(result.status_attribute, attribute ?? (system === 'open' ? 'pending' : 'done'))
        },
      ),
    )
  },
)

test('a state is found by its id, or by its name whatever the case, width and blanks around it', () => {
  const row = { name: 'Ｉｎ Review', id: '0198c3f2-0000-7000-8000-000000000000' } as WorkflowStateRow
  const states = [{ ...row, id: 'x', name: 'Done' }, row]
  for (const text of ['in review', 'IN REVIEW', ' Ｉｎ Ｒｅｖｉｅｗ ', row.id, row.id.toUpperCase()]) {
    assert.equal(resolveState(states, text), row, text)
  }
  for (const text of ['review', 'in', '', 'in  review']) assert.equal(resolveState(states, text), null, text)
})

verifies('workflow.default_completion', 'items begin in the default open state and end in the first done state', () => {
  fc.assert(
    fc.property(fc.array(state, { maxLength: 12 }), states => {
      const initial = initialState(states)
      const open = states.filter(each => each.system_status === 'open')
      assert.equal(initial === null, open.length === 0)
      if (initial) {
        assert.equal(initial.system_status, 'open')
        const rivals = open.some(each => each.is_default) ? open.filter(each => each.is_default) : open
        assert.ok(rivals.includes(initial))
        assert.ok(rivals.every(each => each.display_order >= initial.display_order))
      }
      const final = finalState(states)
      const closed = states.filter(each => each.system_status === 'closed')
      assert.equal(final === null, closed.length === 0)
      if (final) {
        const done = closed.filter(each => each.status_attribute === 'done')
        const rivals = done.length > 0 ? done : closed
        assert.ok(rivals.includes(final))
        assert.ok(rivals.every(each => each.display_order >= final.display_order))
      }
    }),
  )
})

test('every state has a counterpart in another workflow: by name, else with the same status', () => {
  fc.assert(
    fc.property(state, fc.array(state, { maxLength: 10 }), (from, rest) => {
      const ends = ['open', 'closed'].map((system, n): WorkflowStateRow => ({
        ...from,
        id: `end-${n}`,
        name: `a name that is too long ${n}`,
        system_status: system as 'open' | 'closed',
        category: system === 'open' ? 'todo' : 'done',
        status_attribute: system === 'open' ? 'pending' : 'done',
        is_default: false,
      }))
      const to = findCounterpart(from, [...rest, ...ends])!
      const byName = resolveState(rest, from.name)
      if (byName) assert.equal(to, byName)
      else assert.equal(to.system_status, from.system_status)
      const alike = rest.filter(
        each => each.category === from.category && each.status_attribute === from.status_attribute,
      )
      if (!byName && alike.length > 0) assert.equal(to.category, from.category)
    }),
  )
})

test('reopen leads from closed to open, cancel to a negative end, next and manual anywhere', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TRANSITION_KINDS), fc.option(state), state, (kind, from, to) => {
      const fits = {
        next: true,
        manual: true,
        reopen: from?.system_status === 'closed' && to.system_status === 'open',
        cancel: to.status_attribute === 'duplicate' || to.status_attribute === 'wontfix',
      }[kind]
      assert.equal(kindProblem(kind, from, to) === null, fits)
    }),
  )
})
