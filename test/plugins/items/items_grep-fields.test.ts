import assert from 'node:assert/strict'
import { definePlugin, sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { itemGrepFields } from '../../../plugins/items/points.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

/** Two fields as plugins contribute them: the title backwards, narrowed down by the plugin or not. */
const backwards = ['hinted', 'plain'].map(name => {
  const hint = {
    candidates: ({ actor }: ReadContext, mayMatch: (column: string) => RawBuilder<boolean>) => sql`
      select x.id from (select c.id, reverse(c.title) as text from items.items c where c.owner_id = ${actor.userId}) x
      where ${mayMatch('x.text')}`,
  }
  const texts = () => sql`jsonb_build_array(reverse(i.title))`
  return itemGrepFields({ name, byDefault: false, texts, ...(name === 'hinted' && hint) })
})
const fieldsPlugin = definePlugin({
  name: 'fields',
  version: '1.0.0',
  api: 1,
  group: 'fields',
  dependsOn: ['items'],
  contributes: backwards,
})

forEachEngine('fields of items_grep', engine => {
  const { newUser } = itemsHost(engine, { plugins: [fieldsPlugin] })

  verifies(
    'items_grep.fields',
    'contributed fields are searched beside those of the item, in one order and each item once',
    async () => {
      const user = await newUser()
      for (const title of ['abc', 'cba', 'xyz', 'abc cba']) await user.task(title)
      for (const field of ['hinted', 'plain']) {
        const search = (args: object) => user.call('items_grep', { pattern: 'abc', count_only: true, ...args })
        const alone: { items: { ref: string }[] } = await search({ fields: [field] })
        assert.deepEqual(
          alone.items.map(({ ref }) => ref),
          ['INBOX#2', 'INBOX#4'],
        )
        const hits: [ref: string, count: number][] = []
        let cursor: string | null = null
        do {
          const page = await search({ fields: ['title', field], limit_items: 1, ...(cursor !== null && { cursor }) })
          for (const { ref, count } of page.items) hits.push([ref, count])
          cursor = page.next_cursor
        } while (cursor !== null)
        assert.deepEqual(hits, [
          ['INBOX#1', 1],
          ['INBOX#2', 1],
          ['INBOX#4', 2],
        ])
      }
    },
  )
})
