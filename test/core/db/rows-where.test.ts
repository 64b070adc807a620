import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { deleteRecords, deleteWhere, updateRecords, updateWhere, uuid } from 'tasuki/plugin'
import type { TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { hostOfSuite } from '../../host-pool.ts'
import { suiteScope } from '../suite-scope.ts'

forEachEngine('rows that match', engine => {
  const scope = suiteScope()
  let db: TestHost['database']['write']
  before(async () => {
    db = (await hostOfSuite(scope, { engine })).database.write
  })

  const settings = (owner: string) =>
    db.selectFrom('workspace.settings').select(['key', 'value']).where('owner_id', '=', owner).orderBy('key').execute()

  test('are changed and deleted, one or several, and no others', async () => {
    const [owner, other] = [uuid(), uuid()]
    const rows = [owner, other].flatMap(id =>
      ['a', 'b', 'c'].map(key => ({ owner_id: id, key, value: '1' as never, updated_at: new Date() })),
    )
    await db.insertInto('workspace.settings').values(rows).execute()

    await updateWhere(db, 'workspace.settings', { owner_id: owner, key: ['a', 'b'] }, { value: '2' as never })
    await deleteWhere(db, 'workspace.settings', { owner_id: owner, key: 'b' })

    assert.deepEqual(await settings(owner), [
      { key: 'a', value: 2 },
      { key: 'c', value: 1 },
    ])
    assert.deepEqual(
      (await settings(other)).map(({ value }) => value),
      [1, 1, 1],
    )
  })

  test('of a list are changed, each to values of its own, and deleted', async () => {
    const owner = uuid()
    const key = ['owner_id', 'key'] as const
    const rows = ['a', 'b', 'c'].map(name => ({ owner_id: owner, key: name }))
    const values = rows.map(row => ({ ...row, value: '1' as never, updated_at: new Date() }))
    await db.insertInto('workspace.settings').values(values).execute()

    const changed = rows.slice(1).map((row, n) => ({ ...row, value: n + 2 }))
    await updateRecords(db, 'workspace.settings', key, changed)
    await deleteRecords(db, 'workspace.settings', key, [rows[2]!, { owner_id: uuid(), key: 'a' }])

    assert.deepEqual(await settings(owner), [
      { key: 'a', value: 1 },
      { key: 'b', value: 2 },
    ])
  })

  test('a statement without a condition is refused', async () => {
    await assert.rejects(updateWhere(db, 'workspace.settings', {}, { key: 'a' }), TypeError)
    await assert.rejects(deleteWhere(db, 'workspace.settings', {}), TypeError)
  })
})
