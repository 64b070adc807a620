import { parentPort, workerData } from 'node:worker_threads'
import { messages, protocol } from '@electric-sql/pglite'
import { ROLLBACK, type Planning, type Prepared } from '../planning.ts'
import { openCluster } from './cluster.ts'
import type { Field } from '../values.ts'
import { ERROR_FIELDS } from './wire.ts'
import type { Boot, Message, RawResult, Request, Statement, WireError } from './wire.ts'

const { serialize } = protocol
const port = parentPort
if (!port) throw new Error('This file runs as a worker thread only')

const boot = workerData as Boot
const running = new Int32Array(boot.running)
const db = await openCluster(boot)
db.onNotification((channel, payload) => send({ kind: 'notification', channel, payload }))

let last = Promise.resolve()
port.on('message', (request: Request) => {
  last = last.then(() => answer(request))
})
send({ kind: 'ready' })

function send(message: Message): void {
  port?.postMessage(message)
}

async function answer(request: Request): Promise<void> {
  Atomics.store(running, 0, request.id)
  const reply = await execute(request)
  Atomics.store(running, 0, 0)
  if (reply.kind === 'dump') port?.postMessage(reply, [reply.tar.buffer as ArrayBuffer])
  else send(reply)
}

async function execute(request: Request): Promise<Message> {
  if (request.kind === 'close') {
    await db.close()
    return { kind: 'closed' }
  }
  if (request.kind === 'dump') {
    await run({ sql: 'checkpoint', params: null, prepared: null, inTransaction: false })
    const tar = await db.dumpDataDir('none')
    return { kind: 'dump', tar: new Uint8Array(await tar.arrayBuffer()) }
  }
  const outcome = await run(request)
  if (!request.inTransaction && outcome.status !== IDLE) {
    await exchange(serialize.query('rollback'))
    outcome.error ??= {
      severity: 'ERROR',
      code: '25001',
      message: 'a transaction was left open and has been rolled back; use transaction() instead of BEGIN',
    }
  }
  return outcome.error ? { kind: 'error', error: outcome.error } : { kind: 'result', results: outcome.results }
}

/** Transaction status in the protocol: idle. */
const IDLE = 'I'
interface Outcome {
  readonly results: readonly RawResult[]
  readonly status: string
  error: WireError | null
}

/** Tags of commands that may change the columns of a result. */
const DEFINES = new Set(['ALTER', 'CREATE', 'DO', 'DROP'])
/** A statement that is parsed for one execution only. */
const ONCE: Prepared = { name: '', planning: 'custom' }
/** Names of the statements that the session has prepared. */
const preparedNames = new Set<string>()
/** Current plan mode of the session; null if a rollback may have undone it. */
let planning: Planning | null = null

/** Runs a statement in one message exchange. `PGlite.query` needs six, which halves the throughput. */
async function run({ sql, params, prepared }: Statement): Promise<Outcome> {
  if (params === null) {
    const outcome = await exchange(serialize.query(sql))
    if (outcome.error || ROLLBACK.test(sql)) planning = null
    // A prepared statement whose result columns have changed fails until it is prepared again.
    if (outcome.results.some(({ command }) => DEFINES.has(command))) preparedNames.clear()
    return outcome
  }
  const { name, planning: mode } = prepared ?? ONCE
  const outcome = await exchange(
    Buffer.concat([
      ...(planning === mode ? [] : planModeMessages(mode)),
      ...(preparedNames.has(name) ? [] : [serialize.close({ type: 'S', name }), serialize.parse({ name, text: sql })]),
      serialize.bind({ statement: name, values: [...params] }),
      serialize.describe({ type: 'P' }),
      serialize.execute(),
      serialize.sync(),
    ]),
  )
  if (outcome.error) {
    planning = null
    preparedNames.delete(name)
  } else {
    planning = mode
    if (prepared) preparedNames.add(name)
  }
  return outcome
}

/** Returns the messages that change the plan mode, to send in the same exchange as the statement. */
function planModeMessages(mode: Planning): Uint8Array[] {
  return [
    serialize.parse({ text: `set plan_cache_mode = force_${mode}_plan` }),
    serialize.bind({}),
    serialize.execute(),
  ]
}

async function exchange(message: Uint8Array): Promise<Outcome> {
  const results: RawResult[] = []
  let fields: Field[] = []
  let rows: (string | null)[][] = []
  let error: WireError | null = null
  let status: string | null = null
  for (const reply of await db.execProtocolStream(message, { syncToFs: false, throwOnError: false })) {
    if (reply instanceof messages.DataRowMessage) rows.push(reply.fields)
    else if (reply instanceof messages.RowDescriptionMessage) {
      fields = reply.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }))
    } else if (reply instanceof messages.CommandCompleteMessage) {
      results.push({ ...parseTag(reply.text), fields, rows })
      fields = []
      rows = []
    } else if (reply instanceof messages.DatabaseError) error ??= toWire(reply)
    else if (reply instanceof messages.ReadyForQueryMessage) status = reply.status
  }
  // Thrown on purpose: the error ends the thread, and the main thread reopens the database.
  if (status === null || error?.severity === 'PANIC') throw new Error(error?.message ?? 'The database does not answer')
  return { results, status, error }
}

/** Splits a command tag such as `INSERT 0 5`, `SELECT 2` or `CREATE TABLE`. */
function parseTag(tag: string): { command: string; rowCount: number | null } {
  const words = tag.split(' ')
  const count = Number(words.at(-1))
  return { command: words[0] ?? '', rowCount: Number.isInteger(count) ? count : null }
}

function toWire(error: messages.DatabaseError): WireError {
  return Object.assign({ message: error.message }, Object.fromEntries(ERROR_FIELDS.map(name => [name, error[name]])))
}
