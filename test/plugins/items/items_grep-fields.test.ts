import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import type { TestCaller } from 'tasuki/testing'
import { itemGrepFields } from '../../../plugins/items/points.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

/** Adds two searchable fields with the reversed title, one with a prefilter by the plugin and one without. */
const backwards = ['hinted', 'plain'].map(name => {
  const hint = {
    candidates: ({ actor }: ReadContext, mayMatch: (column: string) => RawBuilder<boolean>) => sql`
      select x.id from (select c.id, reverse(c.title) as text from items.items c where c.owner_id = ${actor.userId}) x
      where ${mayMatch('x.text')}`,
  }
  const texts = () => sql`jsonb_build_array(reverse(i.title))`
  return itemGrepFields({ name, byDefault: false, texts, ...(name === 'hinted' && hint) })
})
/** Adds a field whose statement takes longer than a call may match texts. */
const slow = itemGrepFields({
  name: 'slow',
  byDefault: false,
  texts: () => sql`(select jsonb_build_array(i.title) from pg_sleep(3.1))`,
})
const fieldsPlugin = definePlugin({
  name: 'fields',
  version: '1.0.0',
  api: 1,
  group: 'fields',
  dependsOn: ['items'],
  contributes: [...backwards, slow],
})

forEachEngine('fields of items_grep', engine => {
  const suite = itemsHost(engine, { plugins: [fieldsPlugin] })
  const { newUser } = suite

  verifies(
    'items_grep.fields',
    'contributed fields are searched with those of the item, in one order and each item once',
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

  verifies(
    ['items_grep.literal', 'items_grep.cursor', 'items_grep.visible_only'],
    'rare and frequent labels are found on all visible items, each once, in order',
    async () => {
      const [owner, member] = [await newUser(), await newUser()]
      await owner.createProject('WALL')
      await owner.task({ title: 'Hidden', labels: ['brick', 'brick stone'] })
      await owner.task({ project_key: 'WALL', title: 'First', labels: ['brick', 'stone'] })
      const [hidden, first, last] = [1, 2, 2302]
      await suite.host.sql`
        insert into items.items select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'number', n))).*
        from items.items i, generate_series(${first + 1}::int, ${last}::int) n where i.owner_id = ${owner.userId} and i.number = ${first}`
      await suite.host.sql`
        insert into labels.item_labels select i.owner_id, i.id, l.id
        from items.items i join labels.labels l on l.owner_id = i.owner_id and l.project_id = i.project_id
        where i.owner_id = ${owner.userId} and i.number > ${first} and (l.name = 'brick' or (l.name = 'stone' and i.number % 100 = 0))`
      await suite.host.sql`
        update items.items set archived_at = now() where owner_id = ${owner.userId} and number % 500 = 0`
      await owner.share('WALL', member.email, 'viewer')
      const found = async (user: TestCaller, pattern: string): Promise<number[]> => {
        const list: number[] = []
        let cursor: string | null = null
        do {
          const next = cursor === null ? {} : { cursor }
          const search = { pattern, fields: ['labels'], count_only: true, limit_items: 200, ...next }
          const page = await user.call('items_grep', search)
          list.push(...page.items.map(({ ref }: { ref: string }) => Number(ref.split('#')[1])))
          cursor = page.next_cursor
        } while (cursor !== null)
        return list
      }
      const bricks = Array.from({ length: last }, (_, n) => n + 1).filter(number => number % 500 !== 0)
      const stones = bricks.filter(number => number <= first || number % 100 === 0)
      const inWall = (numbers: readonly number[]) => numbers.filter(number => number !== hidden)
      for (const [pattern, numbers] of [
        ['brick', bricks],
        ['stone', stones],
      ] as const) {
        assert.deepEqual(await found(owner, pattern), numbers, pattern)
        assert.deepEqual(await found(member, pattern), inWall(numbers), `${pattern}, shared`)
      }
      const one = { pattern: 'brick', fields: ['labels'], filters: `number:${last}` }
      for (const user of [owner, member]) assert.equal((await user.call('items_grep', one)).items.length, 1)
    },
  )

  test('a slow database loses no match', async () => {
    const user = await newUser()
    await user.task('heron')
    const { items, has_more } = await user.call('items_grep', { pattern: 'heron', fields: ['slow'] })
    assert.deepEqual([items.length, has_more], [1, false])
  })

  test('texts of other plugins are searched in one pass, not per item, also in shared projects', async () => {
    const [owner, member] = [await newUser(), await newUser()]
    await owner.createProject('BIRD')
    const item_ref = await owner.task({ project_key: 'BIRD', title: 'One', labels: ['kingfisher'] })
    await owner.call('discussions_create', { item_ref, body: 'a kingfisher at the pond' })
    await owner.call('project_custom_fields_create', { project_key: 'BIRD', label: 'Bird', field_key: 'bird' })
    await owner.call('items_set_custom_fields', { item_ref, custom_fields: { bird: 'kingfisher' } })
    const contributed = ['labels', 'comments.body', 'custom.value']
    const found = async (user: TestCaller, field: string): Promise<number> =>
      (await user.call('items_grep', { pattern: 'kingfisher', fields: [field] })).items.length
    for (const field of contributed) assert.deepEqual([await found(owner, field), await found(member, field)], [1, 0])
    await owner.share('BIRD', member.email, 'viewer')
    for (const field of contributed) assert.equal(await found(member, field), 1)
    const fields = suite.host.registry.all(itemGrepFields).filter(({ name }) => !['plain', 'slow'].includes(name))
    assert.deepEqual(
      fields.filter(({ candidates }) => !candidates),
      [],
    )
  })
})
