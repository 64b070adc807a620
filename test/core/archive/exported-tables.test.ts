import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { findTables } from '../../../core/archive/tables.repository.ts'
import { NOT_EXPORTED } from '../../../core/host/archiver.ts'
import { userRows } from '../../../core/identity/delete-user.ts'

/** Classifies every table by its treatment in a user export. UPDATE_SNAPSHOTS=1 rewrites it. */
const FILE = join(import.meta.dirname, 'exported-tables.json')
type Classes = Readonly<Record<'exported' | 'left out' | 'columns left out' | 'of no user', readonly string[]>>

/** Exported columns whose names suggest a secret, with the reason why exporting them is safe. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  'code_refs.links.secret': 'sealed with the key of the deployment, which an export does not have',
}
const SECRET = /secret|hash|token|password|digest|challenge|(private|public|session|api)_?key/

let host: TestHost
const left = new Set<string>()
let found: Map<string, readonly string[]>
let owned: Set<string>
before(async () => {
  host = await testHost({ after }, { config: { plugins: { project_admin: {} } } })
  for (const name of [...NOT_EXPORTED, ...host.registry.plugins.flatMap(({ notExported = [] }) => notExported)])
    left.add(name)
  const schemas = ['core', ...host.registry.plugins.map(({ name }) => name)]
  found = new Map((await findTables(host.database.write, schemas)).map(({ name, columns }) => [name, columns]))
  const { db, all } = { db: host.database.write, all: host.registry.all }
  const rows = await userRows({ db, all }, { id: host.userId, email: 'owner@example.com' })
  owned = new Set([...rows.map(({ schema, table }) => `${schema}.${table}`), 'core.audit'])
})

test('every table is exported, omitted or of no user, as classified', () => {
  const classes: Classes = {
    exported: [...found.keys()].filter(name => owned.has(name) && !left.has(name)),
    'left out': [...found.keys()].filter(name => owned.has(name) && left.has(name)),
    'columns left out': [...left].filter(name => name.split('.').length > 2).toSorted(),
    'of no user': [...found.keys()].filter(name => !owned.has(name)),
  }
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(FILE, `${JSON.stringify(classes, null, 2)}\n`)
  assert.deepEqual(
    classes,
    JSON.parse(readFileSync(FILE, 'utf8')),
    'a table came or went: does it let people in, or is it made from others? Name it in notExported of its plugin, ' +
      'then UPDATE_SNAPSHOTS=1 npm test -- test/core/archive/exported-tables.test.ts',
  )
})

test('tables and columns that an export omits exist', () => {
  // The vector table needs an extension that this database does not have.
  const known = new Set([...found].flatMap(([name, columns]) => [name, ...columns.map(column => `${name}.${column}`)]))
  const missing = [...left].filter(name => !known.has(name) && name !== 'search.vectors')
  assert.deepEqual(missing, [])
})

test('no exported column has the name of a secret, except those with a reason', () => {
  const suspicious = [...found].flatMap(([name, columns]) =>
    owned.has(name) && !left.has(name)
      ? columns.filter(column => SECRET.test(column)).map(column => `${name}.${column}`)
      : [],
  )
  assert.deepEqual(suspicious.toSorted(), Object.keys(NO_SECRETS).toSorted())
})
