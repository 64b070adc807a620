import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

interface Hunk {
  readonly old_start: number
  readonly old_lines: number
  readonly lines: readonly string[]
}
const NO_BREAK = '\\ No newline at end of file'

/** Applies a unified diff to the old body. */
function applied(before: string, hunks: readonly Hunk[]): string {
  if (hunks.length === 0) return before
  const old = before.split('\n')
  if (old.at(-1) === '') old.pop()
  const lines: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const start = hunk.old_lines === 0 ? hunk.old_start : hunk.old_start - 1
    lines.push(...old.slice(at, start))
    at = start
    for (const line of hunk.lines) {
      if (line === NO_BREAK) continue
      if (!line.startsWith('+')) assert.equal(old[at++], line.slice(1))
      if (!line.startsWith('-')) lines.push(line.slice(1))
    }
  }
  lines.push(...old.slice(at))
  const all = hunks.flatMap(hunk => hunk.lines)
  const remarks = all.flatMap((line, n) => (line === NO_BREAK ? [all[n - 1]![0]] : []))
  const breaks = remarks.length === 0 && before !== '' ? before.endsWith('\n') : !remarks.some(sign => sign !== '-')
  return lines.join('\n') + (breaks && lines.length > 0 ? '\n' : '')
}

forEachEngine('items_rewrite_detail', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared

  verifies(
    [
      'items_rewrite_detail.replaces',
      'items_rewrite_detail.revision',
      'items_rewrite_detail.instruction',
      'item.body_revisions',
      'results.write_changed',
    ],
    'the body is replaced at once; the former body and the instruction are kept',
    async () => {
      const user = await newUser()
      await user.task({ title: 'Plan', detail: 'one\ntwo\nthree' })
      const args = { item_ref: '#1', new_detail: 'one\n2\nthree', instruction: 'Use digits' }
      const { item, changed, hunks, revision_id } = await user.call('items_rewrite_detail', args)
      assert.deepEqual([item.ref, changed], ['INBOX#1', ['detail']])
      assert.deepEqual(hunks, [
        { old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, lines: [' one', '-two', '+2', ' three'] },
      ])
      assert.equal((await user.get('#1'))['detail'], 'one\n2\nthree')
      const kept = await shared.host.sql`
        select detail, note, title from items.revisions where owner_id = ${user.userId} and id = ${revision_id}`
      assert.deepEqual(kept, [{ detail: 'one\ntwo\nthree', note: 'Use digits', title: 'Plan' }])
      const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.detail.changed' })
      assert.equal(activities[0].reason, 'Use digits')
    },
  )

  test('a side without lines is at line 0, as in a unified diff', async () => {
    const user = await newUser()
    await user.task('Plan')
    const rewrite = async (detail: string) => {
      const { hunks } = await user.call('items_rewrite_detail', { item_ref: '#1', new_detail: detail })
      return hunks.map((hunk: Hunk & { new_start: number }) => [hunk.old_start, hunk.new_start])
    }
    assert.deepEqual([await rewrite('one'), await rewrite('')], [[[0, 1]], [[1, 0]]])
  })

  test('the same body changes nothing and makes no revision', async () => {
    const user = await newUser()
    await user.task({ detail: 'same\r\n' })
    const result = await user.call('items_rewrite_detail', { item_ref: '#1', new_detail: 'same\r\n' })
    assert.deepEqual([result.changed, result.hunks, 'revision_id' in result], [[], [], false])
  })

  verifies('items_rewrite_detail.hunks', 'the hunks turn the old body into the new one', async () => {
    const user = await newUser()
    await user.task('Plan')
    const line = fc.constantFrom(
      '',
      'a',
      'b',
      '# c',
      '- d',
      '+ e',
      '\\ f',
      'か\u3099',
      '👩‍👩‍👧',
      '\r',
      NO_BREAK.slice(2),
      'z\r',
    )
    const text = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', '\n', '\r\n', '\n\n'))
      .map(([lines, end]) => lines.join('\n') + end)
    let before = ''
    await fc.assert(
      fc.asyncProperty(text, async after => {
        const { hunks } = await user.call('items_rewrite_detail', { item_ref: '#1', new_detail: after })
        const former = before
        before = after
        assert.equal(applied(former, hunks), after)
      }),
      { numRuns: 80, endOnFailure: true },
    )
  })

  test('the diff of two entirely different bodies stops in time', async () => {
    const user = await newUser()
    const body = (seed: number) => Array.from({ length: 5000 }, (_, n) => `${(n * seed) % 4999}`).join('\n')
    await user.task({ detail: body(7) })
    const began = performance.now()
    const { hunks } = await user.call('items_rewrite_detail', { item_ref: '#1', new_detail: body(13) })
    assert.ok(performance.now() - began < 20_000)
    assert.equal(applied(body(7), hunks), body(13))
  })

  verifies('items_rewrite_detail.limit', 'a body above 32,000 characters is refused', async () => {
    const user = await newUser()
    await user.task({ detail: 'old' })
    await user.call('items_rewrite_detail', { item_ref: '#1', new_detail: 'x'.repeat(32_000) })
    await assert.rejects(user.call('items_rewrite_detail', { item_ref: '#1', new_detail: 'x'.repeat(32_001) }), {
      code: 'invalid_argument',
      field: 'new_detail',
    })
  })

  test('it takes six statements', async () => {
    const user = await newUser()
    await user.task({ detail: 'old' })
    const rewrite = () => user.call('items_rewrite_detail', { item_ref: '#1', new_detail: 'new' })
    assert.equal((await statements(rewrite)).length, 6)
  })
})
