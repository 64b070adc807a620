import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, uuid, type WriteContext } from 'tasuki/plugin'
import { takeNumbers } from '../../../plugins/items/numbers.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

forEachEngine('numbers of items', engine => {
  const shared = itemsHost(engine)
  const take = (ctx: WriteContext, owner: string, count: number) => takeNumbers(ctx, new Map([[owner, count]]))

  test(
    'an uncommitted create does not block other creates of the same owner',
    { skip: engine === 'pglite' && 'the embedded database has one session' },
    async () => {
      const user = await shared.newUser()
      const { item } = await shared.host.write(async ctx => {
        const first = await take(ctx, user.userId, 1)
        assert.equal(first.get(user.userId), 1)
        return user.call('items_create', { project_key: 'INBOX', title: 'Meanwhile' })
      })
      assert.equal(item.ref, 'INBOX#2')
    },
  )

  verifies('ownership.one_counter', 'parallel calls get distinct numbers, for owners in any order', async () => {
    const owners = Array.from({ length: 3 }, () => uuid())
    const allocated = new Map(owners.map(owner => [owner, new Set<number>()]))
    const asked = Array.from({ length: 40 }, (_, n) => {
      const counts = new Map(owners.toSorted(() => (n % 2) - 0.5).map((owner, place) => [owner, ((n + place) % 4) + 1]))
      return shared.host.write(async ctx => {
        for (const [owner, first] of await takeNumbers(ctx, counts)) {
          for (let number = first; number < first + counts.get(owner)!; number++) allocated.get(owner)!.add(number)
        }
        return counts
      })
    })
    const all = await Promise.all(asked)
    for (const owner of owners) {
      const total = all.reduce((sum, counts) => sum + counts.get(owner)!, 0)
      assert.deepEqual(allocated.get(owner), new Set(Array.from({ length: total }, (_, n) => n + 1)))
    }
  })

  test('a rollback leaves at most a gap, and its number is not used again', async () => {
    const user = await shared.newUser()
    await user.task('First')
    await assert.rejects(
      shared.host.write(async ctx => {
        await take(ctx, user.userId, 1)
        throw new Error('changed its mind')
      }),
      /changed its mind/,
    )
    const ref = await user.task('Next')
    assert.equal(ref, engine === 'postgres' ? 'INBOX#3' : 'INBOX#2')
  })

  test('an autonomous statement is visible to other sessions at once', async () => {
    const owner = uuid()
    await shared.host.write(async ctx => {
      await take(ctx, owner, 5)
      const db = engine === 'postgres' ? shared.host.database.read : ctx.db
      const { rows } = await sql`select next_number from items.counters where owner_id = ${owner}`.execute(db)
      assert.deepEqual(rows, [{ next_number: 6 }])
    })
  })
})
