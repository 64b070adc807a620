import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolFailure } from 'tasuki/testing'
import { forEachEngine } from '../engines.ts'
import { sharedHost } from '../shared-host.ts'

const ROUNDS = 15

/** Returns the outcome of each call: its error code, or null. */
function outcomes(calls: readonly Promise<unknown>[]): Promise<(string | null)[]> {
  return Promise.all(
    calls.map(call =>
      call.then(
        () => null,
        (error: unknown) => (error instanceof ToolFailure ? error.code : String(error)),
      ),
    ),
  )
}

forEachEngine('calls that race', engine => {
  const shared = sharedHost(engine)

  test('deleting a version while an item is added to it: one of the calls is refused, and none fails', async () => {
    const user = await shared.newUser()
    await user.createProject('RACE')
    const seen = new Set<string | null>()
    for (let n = 0; n < ROUNDS; n++) {
      const name = `v${n}`
      await user.call('versions_create', { project_key: 'RACE', name })
      const items = await Promise.all(
        [1, 2, 3].map(m => user.call('items_create', { project_key: 'RACE', title: `Item ${n} ${m}` })),
      )
      const codes = await outcomes([
        ...items.map(({ item }) =>
          user.call('versions_add_item', { project_key: 'RACE', version: name, item_ref: item.ref }),
        ),
        user.confirmed('versions_delete', { project_key: 'RACE', version: name }),
      ])
      codes.forEach(code => seen.add(code))
    }
    for (const code of seen) assert.ok(code === null || code === 'not_found', `${code}`)
  })

  test('two items that are linked both ways at once', async () => {
    const user = await shared.newUser()
    for (let n = 0; n < ROUNDS; n++) {
      const [one, two] = await Promise.all(
        ['One', 'Two'].map(title => user.call('items_create', { project_key: 'INBOX', title })),
      )
      const link = (from: { item: { ref: string } }, to: { item: { ref: string } }, type = 'reference') =>
        user.call('relations_create', {
          source_item_ref: from.item.ref,
          target_item_ref: to.item.ref,
          relation_type: type,
        })
      assert.deepEqual(await outcomes([link(one, two), link(two, one), link(one, two), link(two, one)]), [
        null,
        null,
        null,
        null,
      ])
      const parents = await outcomes([link(one, two, 'parent'), link(two, one, 'parent')])
      assert.deepEqual(new Set(parents), new Set([null, 'cycle']))
    }
  })
})
