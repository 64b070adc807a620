import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolError, uuid } from 'tasuki/plugin'
import * as fc from 'fast-check'
import { findNamed, pathKey } from '../../../plugins/items/index.ts'
import { sprintName, sprints as placement } from '../../../plugins/sprints/placement.repository.ts'
import type { SprintRow } from '../../../plugins/sprints/sprint.ts'
import { reviewText, type ReviewFacts } from '../../../plugins/sprints/review.ts'
import { makeContinuedTitle } from '../../../plugins/sprints/split.ts'

function row(id: string, names: readonly string[]): SprintRow {
  const path = names.join('/')
  const key = pathKey(names.at(-1)!)
  const common = { ownerId: 'o', projectId: 'p', parentId: null, depth: names.length, goal: null, startDate: null }
  const rest = {
    endDate: null,
    capacity: null,
    status: 'planning',
    displayOrder: 0,
    startedAt: null,
    updatedAt: '',
    timeZone: 'UTC',
  } as const
  return { ...common, ...rest, id, name: names.at(-1)!, key, path, pathKey: pathKey(path) }
}

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(text => pathKey(text) !== '' && !/[/@]/u.test(text.normalize('NFKC')))

test('a full path finds its sprint whatever the case, width and spaces around names', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), {
        selector: names => pathKey(names.join('/')),
        minLength: 1,
        maxLength: 6,
      }),
      list => {
        // Full ids, because short ids could be names, and ids are looked up first.
        const sprints = list.map(names => row(uuid(), names))
        for (const sprint of sprints) {
          for (const text of [
            sprint.path,
            ` ${sprint.path.split('/').join(' / ')} `,
            sprint.path.normalize('NFKC').toLowerCase(),
          ]) {
            const found = findNamed(placement, sprints, text, { projectKey: 'APP', field: 'sprint' })
            assert.ok(!(found instanceof ToolError) && found.id === sprint.id, text)
          }
        }
      },
    ),
  )
})

test('every accepted name finds its sprint', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), text => {
      let stored: string
      try {
        stored = sprintName(text)
      } catch (error) {
        assert.ok(error instanceof ToolError && error.code === 'invalid_argument')
        return
      }
      const found = findNamed(placement, [row('1', [stored])], stored, { projectKey: 'APP', field: 'sprint' })
      assert.ok(!(found instanceof ToolError))
    }),
  )
})

test('titles of continuations count on and stay within 200 characters', () => {
  assert.equal(makeContinuedTitle('Write'), 'Write (2)')
  assert.equal(makeContinuedTitle('Write (2)'), 'Write (3)')
  assert.equal(makeContinuedTitle('Write (99)'), 'Write (100)')
  assert.equal(makeContinuedTitle('(2)'), '(2) (2)')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), title => {
      const next = makeContinuedTitle(title)
      assert.ok(Array.from(next).length <= Math.max(200, Array.from(title).length))
      assert.match(next, / \(\d+\)$/)
    }),
  )
})

test('a review names at most 50 items of a section and keeps titles on one line', () => {
  const facts: ReviewFacts = {
    path: 'A/B',
    goal: null,
    startDate: '2026-01-05',
    endDate: null,
    day: '2026-01-17',
    capacity: null,
    velocity: 2.5,
    total: 60,
    unit: 'hours',
    next: 'A/C',
    items: Array.from({ length: 60 }, (_, n) => ({
      item_ref: `APP#${n}`,
      item_id: String(n),
      title: 'two\nlines',
      outcome: 'next_sprint' as const,
    })),
  }
  const text = reviewText(facts)
  assert.equal(text, reviewText(facts))
  const lines = text.split('\n')
  assert.deepEqual(lines.slice(0, 6), [
    '## Review of "A/B"',
    '',
    'Closed on 2026-01-17 (planned 2026-01-05 to ?).',
    'Velocity: 2.5 of 60 hours. 0 of 60 items done (0 %).',
    '',
    '### Moved on to "A/C" (60)',
  ])
  assert.equal(lines.filter(line => line.startsWith('- APP#')).length, 50)
  assert.equal(lines.at(-1), '- and 10 more')
  assert.ok(lines.includes('- APP#0 "two lines"'))
})
