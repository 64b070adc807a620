import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { showHiddenCharacters } from '../../../core/mcp/hidden-characters.ts'
import { applyDetailChange } from '../../../plugins/items/detail-edit.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('the body in items_patch', engine => {
  const shared = itemsHost(engine)
  const { newUser } = shared
  const start = async (args: object = {}) => {
    const user = await newUser()
    await user.task({ title: 'Ship it', ...args })
    const patch = (change: object): Promise<{ item: Item; changed: string[]; warnings?: string[] }> =>
      user.call('items_patch', { item_ref: '#1', ...change })
    return { user, patch }
  }
  verifies(
    ['items_patch.detail_replace', 'items_patch.detail_append', 'item.body_revisions'],
    'the body is replaced or appended to, and each former body is kept',
    async () => {
      const { user, patch } = await start({ detail: 'one' })
      const patched = async (change: object): Promise<unknown> => {
        const { item, changed } = await patch(change)
        assert.deepEqual([changed, item['detail']], [['detail'], undefined])
        return (await user.get('#1'))['detail']
      }
      assert.equal(await patched({ detail: 'two' }), 'two')
      assert.equal(await patched({ detail_append: '\nthree' }), 'two\nthree')
      assert.equal(await patched({ detail: 'four', detail_append: ' five' }), 'four five')
      await patch({ title: 'No new body' })
      await user.call('items_bulk_patch_preview', { item_refs: ['#1', '#2'], detail: 'never' })
      const kept = await shared.host.sql`
        select r.detail, r.actor_kind, r.title from items.revisions r where r.owner_id = ${user.userId} order by r.id`
      assert.deepEqual(
        kept,
        ['one', 'two', 'two\nthree'].map(detail => ({ detail, actor_kind: 'agent', title: 'Ship it' })),
      )
    },
  )

  verifies(
    ['items_patch.detail_edits.order', 'items_patch.detail_edits.occurrence'],
    'edits apply in order, to the first occurrence or to all',
    async () => {
      const { user, patch } = await start({ detail: 'a a b' })
      const edits = [
        { find: 'a', replace: 'b' },
        { find: 'b', replace: 'c$&', occurrence: 'all' },
        { find: 'c$&', replace: '', occurrence: 'first' },
      ]
      await patch({ detail_edits: edits })
      assert.equal((await user.get('#1'))['detail'], ' a c$&')
    },
  )

  verifies(
    ['items_patch.detail_edits.absent_find', 'errors.writes_nothing', 'errors.all_together'],
    'a text that is not found aborts the call and is reported with the other problems',
    async () => {
      const { user, patch } = await start({ detail: 'one two' })
      const before = await user.get('#1')
      const detail_edits = [
        { find: 'one', replace: '1' },
        { find: 'one', replace: '2' },
      ]
      await assert.rejects(patch({ title: 'New', detail_edits }), {
        code: 'invalid_argument',
        field: 'detail_edits[1].find',
        message: 'The text of edit 2 is not in the body: "one".',
      })
      const error = await patch({ due_time: '10:00', parent: '#1', detail_edits }).catch((caught: Item) => caught)
      const problems = [error, ...(error as Item)['details'].problems] as Item[]
      assert.deepEqual(
        problems.map(problem => problem['field']),
        ['due_time', 'detail_edits[1].find', 'parent'],
      )
      assert.deepEqual(await user.get('#1'), before)
    },
  )

  test('a text copied with the note about invisible characters is refused with the way around it', async () => {
    const { user, patch } = await start({ detail: 'Open \u202aC:\\Temp and wait' })
    const [, shown] = /^Open (.*) and/.exec(String((await user.get('#1'))['detail']))!
    assert.equal(shown, '[1 hidden character]C:\\Temp')
    await assert.rejects(patch({ detail_edits: [{ find: shown, replace: 'D:' }] }), {
      field: 'detail_edits[0].find',
      hint: /find the text before or after it/,
    })
    await patch({ detail_edits: [{ find: 'C:\\Temp', replace: 'D:' }] })
  })

  verifies('items_patch.detail_edits.exclusive', 'edits exclude a new body and an appended text', async () => {
    const { patch } = await start({ detail: 'one' })
    const detail_edits = [{ find: 'one', replace: '1' }]
    for (const other of ['detail', 'detail_append']) {
      await assert.rejects(patch({ detail_edits, [other]: 'x' }), {
        code: 'invalid_argument',
        field: 'detail_edits',
        message: `detail_edits cannot be combined with ${other}.`,
      })
    }
  })

  verifies(
    ['items_patch.total_limit', 'item.detail_total'],
    'no change makes the body longer than 100,000 characters or exhausts memory',
    async () => {
      const { user, patch } = await start({ detail: '😀'.repeat(15_000) })
      await patch({ detail_append: 'x'.repeat(32_000) })
      await patch({ detail_append: 'x'.repeat(32_000) })
      await patch({ detail_append: 'x'.repeat(21_000) })
      await assert.rejects(patch({ detail_append: 'y' }), {
        code: 'limit_exceeded',
        field: 'detail_append',
        message: 'The body would have 100001 characters; the limit is 100000.',
      })
      await assert.rejects(patch({ detail_edits: [{ find: '😀', replace: 'zz' }] }), {
        code: 'limit_exceeded',
        field: 'detail_edits',
      })
      const all = { find: 'x', replace: 'y'.repeat(30_000), occurrence: 'all' }
      await assert.rejects(patch({ detail_edits: [all] }), { code: 'limit_exceeded', field: 'detail_edits[0].find' })
      assert.equal(Array.from((await user.get('#1'))['detail']).length, 100_000)
    },
  )

  verifies(['item.byte_exact', 'items_get.whole'], 'titles and bodies survive a round trip byte for byte', async () => {
    const { user, patch } = await start()
    const pieces = [
      '\r\n',
      '\n',
      '\t',
      '<style>',
      '&amp;',
      'か\u3099',
      'e\u0301',
      'é',
      '👩‍👩‍👧',
      'ｱ',
      '\u200b',
      '\\',
      "'",
      '"',
      '%',
      '$1',
      ' ',
    ]
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' })), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(text, text, async (detailParts, titleParts) => {
        const detail = detailParts.join('').replaceAll('\0', '')
        const anyTitle = titleParts.join('').replaceAll('\0', '').slice(0, 90).toWellFormed()
        const title = anyTitle.trim() === '' ? 'x' : anyTitle
        await patch({ detail, title })
        const item = await user.get('#1')
        // Answers mark runs of invisible characters; the stored text contains them unchanged.
        assert.deepEqual([item['detail'], item['title']], [detail, title].map(showHiddenCharacters))
        const [kept] = await shared.host.sql`select detail, title from items.items where owner_id = ${user.userId}`
        assert.deepEqual(kept, { detail, title })
      }),
      { numRuns: 60 },
    )
  })
})

verifies('items_patch.detail_edits.occurrence', 'edits are String.replace and replaceAll with a literal text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '$&', '😀', '\n', 'か\u3099'), maxLength: 30 })
  const edit = fc.record({
    find: fc.string({ unit: fc.constantFrom('a', 'b', '$&', '😀'), minLength: 1, maxLength: 2 }),
    replace: fc.string({ unit: fc.constantFrom('a', '$1', '$&', '$$', ''), maxLength: 3 }),
    occurrence: fc.constantFrom('first' as const, 'all' as const),
  })
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), (before, edits) => {
      let expected: string | null = before
      for (const { find, replace, occurrence } of edits) {
        if (!expected?.includes(find)) expected = null
        else
          expected =
            occurrence === 'all' ? expected.replaceAll(find, () => replace) : expected.replace(find, () => replace)
        if (expected === null) break
      }
      if (expected === null)
        assert.throws(() => applyDetailChange(before, { detail_edits: edits }), { code: 'invalid_argument' })
      else assert.equal(applyDetailChange(before, { detail_edits: edits }), expected)
    }),
    { numRuns: 1000 },
  )
})
