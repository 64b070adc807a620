import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('invalid queries', engine => {
  const { newUser } = itemsHost(engine)

  verifies(
    ['filter.unknown_key', 'filter.plugin_keys'],
    'an unknown key is reported with its position, the nearest key and the reference',
    async () => {
      const user = await newUser()
      await assert.rejects(user.call('tasks_list', { q: 'is:open lable:x' }), (error: unknown) => {
        const { code, field, message, hint, allowed, details } = error as Item
        assert.deepEqual([code, field, details.position], ['invalid_query', 'q', 9])
        assert.equal(message, '"lable" is no filter key (character 9)')
        assert.match(hint, /^Did you mean label:\?.* Keys: is type .*area/)
        assert.equal(allowed[0], 'label')
        assert.ok(allowed.length <= 20)
        return true
      })
    },
  )

  verifies(
    ['filter.unknown_value', 'errors.all_together'],
    'every problem of a query is reported, each with the nearest value',
    async () => {
      const user = await newUser()
      const error = (await user
        .call('tasks_list', { q: 'is:opn due:someday priority:hihg' })
        .catch((caught: unknown) => caught)) as Item
      assert.equal(error['message'], '`is:` got "opn", which is not one of its values (character 4)')
      assert.match(error['hint'], /^Did you mean is:open\?/)
      assert.equal(error['details'].problems[0].hint, 'Write for example due:<=+7d.')
      assert.deepEqual(
        [error['details'].position, ...error['details'].problems.map((other: Item) => other['details'].position)],
        [4, 12, 29],
      )
    },
  )

  test('words of other programs are answered by the filter that is meant', async () => {
    const user = await newUser()
    const cases = {
      'is:done': 'is:closed',
      'is:completed': 'is:closed',
      'is:late': 'is:overdue',
      'status:open': 'is:open',
      'status:in_progress': 'category:in_progress',
      'status:"In review"': 'state:',
      'tag:home': 'label:',
      'tags:home': 'label:',
      'milestone:"1.0"': 'version:',
    }
    for (const [q, meant] of Object.entries(cases))
      for (const call of [
        () => user.call('tasks_list', { q }),
        () => user.call('items_grep', { pattern: 'x', filters: q }),
      ])
        await assert.rejects(call(), ({ code, hint }: Item) => {
          assert.equal(code, 'invalid_query')
          assert.ok(hint.startsWith(`Did you mean ${meant}?`), hint)
          return true
        })
  })

  verifies('filter.hostile', 'any text is quickly accepted or refused', async () => {
    const user = await newUser()
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            'is:',
            'due:',
            '(',
            ')',
            '"',
            '-',
            'OR ',
            'NOT ',
            ',',
            '..',
            '>=',
            ':',
            '会',
            '\\',
            'none',
            '%',
            "'",
            '#1',
            ' ',
          ),
          { maxLength: 25 },
        )
        .map(parts => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(noise, async q => {
        const began = performance.now()
        await user.call('tasks_list', { q }).catch((error: Item) => {
          assert.match(error['code'], /^(invalid_query|invalid_argument|limit_exceeded)$/, error['message'])
        })
        assert.ok(performance.now() - began < 8000)
      }),
      { numRuns: 120 },
    )
    for (const q of [
      '('.repeat(1000),
      '-'.repeat(1999),
      `is:${'open,'.repeat(390)}open`,
      '"'.repeat(1999),
      'a '.repeat(1000),
    ]) {
      const began = performance.now()
      await user
        .call('tasks_list', { q })
        .catch((error: Item) => assert.match(error['code'], /^(invalid_query|limit_exceeded)$/))
      assert.ok(performance.now() - began < 8000, q.slice(0, 10))
    }
  })
})
