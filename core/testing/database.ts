import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'

export type Engine = 'pglite' | 'postgres'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Variable with the name of the migrated template database; set by `prepareTemplates`. */
const TEMPLATE_DATABASE = 'TEST_TEMPLATE_DATABASE'
/** Variable with the path of the migrated embedded template database; set by `prepareTemplates`. */
const TEMPLATE_SNAPSHOT = 'TEST_TEMPLATE_SNAPSHOT'
let snapshot: Promise<Uint8Array> | undefined

/** Reads the migrated embedded template database, if one was prepared, into memory that all databases of the process share. */
export async function templateSnapshot(): Promise<Uint8Array | undefined> {
  const file = process.env[TEMPLATE_SNAPSHOT]
  return file ? (snapshot ??= readShared(file)) : undefined
}

async function readShared(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

export interface NewDatabase {
  /** Starts without tables, even if a template was prepared. */
  readonly empty?: boolean
  /** LC_CTYPE of an empty database; default: that of the server. */
  readonly ctype?: string
}

/** Creates a database on the server of TEST_DATABASE_URL: a copy of the template if one was prepared, else an empty one. */
export async function createTestDatabase({ empty = false, ctype }: NewDatabase = {}): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL']
  if (!server)
    throw new Error('TEST_DATABASE_URL is not set: it names a PostgreSQL server on which tests may create databases')
  const name = `tasuki_test_${randomBytes(6).toString('hex')}`
  const template = empty ? undefined : process.env[TEMPLATE_DATABASE]
  const from = template ? escapeIdentifier(template) : "template0 encoding 'UTF8'"
  const locale = ctype === undefined ? '' : ` lc_collate 'C' lc_ctype ${escapeLiteral(ctype)}`
  await command(server, `create database ${escapeIdentifier(name)} template ${from}${locale}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => command(server, `drop database if exists ${escapeIdentifier(name)} with (force)`),
  }
}

async function command(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
