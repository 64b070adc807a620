import Fastify from 'fastify'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { textVector } from '../../plugins/search/text/vector.ts'
import {
  getSql,
  INSERT_ACTIVITY_SQL,
  INSERT_DOCUMENT_SQL,
  INSERT_ITEM_SQL,
  listSql,
  PARTS,
  PLACE_SQL,
} from './bare-sql.ts'
import type { Part } from './bare-sql.ts'

/** Options of the baseline server: Fastify, node-postgres and hand-written statements, in a process of its own. */
export interface BareOptions {
  readonly url: string
  readonly ownerId: string
  readonly poolSize: number
  /** Connection settings, the same as those of the service. */
  readonly settings: string
  /** Item fields that the service returns. */
  readonly fields: readonly string[]
  /** Constant answers by path. */
  readonly constant: Readonly<Record<string, string>>
}

// Sent as a message, because a list of a hundred tools is too long for a process argument.
const [options] = (await once(process, 'message')) as [BareOptions]
const { ownerId } = options
const pool = new Pool({ connectionString: options.url, max: options.poolSize, options: options.settings })
const parts = PARTS.filter(part => part.fields.every(field => options.fields.includes(field)))
const PRIORITIES = [undefined, 'urgent', 'high', 'normal', 'low']

// Word extraction is not compared: both sides use the same code.
const KINDS = ['epic', 'story', 'task', 'bug', 'chore']

type Row = Record<string, unknown>
interface Call {
  readonly params: { readonly arguments: Row }
}

/** Converts the priority to its name and removes null and empty fields, except the estimate in a list. */
function present(row: Row, inList = false): Row {
  const item: Row = {}
  for (const name in row) {
    const value = row[name]
    if (name === 'priority') {
      if (value !== null) item[name] = PRIORITIES[value as number]
    } else if (name === 'completed_at' || (inList && name === 'estimate')) item[name] = value
    else if (name === 'own_kinds') {
      const features = row['own_features'] as Readonly<Record<string, boolean>>
      item['resolved_field_policy'] = {
        kind: { allowed: [...KINDS, ...((value as string[] | null) ?? [])] },
        sprint: { enabled: features['sprints'] ?? true },
        version: { enabled: features['roadmap'] ?? true },
        estimate: { enabled: features['estimation'] ?? true, unit: row['own_unit'] },
      }
    } else if (name.startsWith('own_')) continue
    else if (name === 'attachment_count') item[name] = value
    else if (name.startsWith('more_')) Object.assign(item, value)
    else if (value !== null && value !== false && value !== '') item[name] = value
  }
  return item
}

// Only list answers contain `resolved_field_policy`.
const single = { name: 'get', text: getSql(parts.filter(part => !part.fields.includes('resolved_field_policy'))) }
const listed = parts.filter(part => part.single !== true)
const lists = new Map<string, { name: string; text: string }>()

function listFor(flags: readonly string[]): { name: string; text: string } {
  const key = flags.join()
  let statement = lists.get(key)
  if (!statement) {
    const wanted: readonly Part[] = listed.filter(part => part.flag === undefined || flags.includes(part.flag))
    lists.set(key, (statement = { name: `list${lists.size}`, text: listSql(wanted) }))
  }
  return statement
}

const app = Fastify()
for (const [path, body] of Object.entries(options.constant)) {
  app.post(path, (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body))
}

app.post('/items_get', async request => {
  const [key, number] = String((request.body as Call).params.arguments['item_ref']).split('#')
  const { rows } = await pool.query<Row>({ ...single, values: [ownerId, key, number] })
  const { category, status_attribute, color_hex, ...row } = rows[0]!
  return {
    item: {
      ...present(row),
      archived_at: row['archived_at'],
      detail: row['detail'],
      state: { category, status_attribute, color_hex },
    },
  }
})

app.post('/tasks_list', async request => {
  const { project_key, limit, ...flags } = (request.body as Call).params.arguments
  const size = limit as number
  const { rows } = await pool.query<Row>({ ...listFor(Object.keys(flags)), values: [ownerId, project_key, size + 1] })
  const has_more = rows.length > size
  return { items: rows.slice(0, size).map(row => present(row, true)), has_more, next_offset: has_more ? size : null }
})

app.post('/items_create', async request => {
  const { project_key, title, detail, due_date, priority } = (request.body as Call).params.arguments
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<Row>({ name: 'place', text: PLACE_SQL, values: [ownerId, project_key] })
    const { number, project_id, ...state } = rows[0]!
    const [id, now] = [uuid(), new Date().toISOString()]
    await client.query({
      name: 'item',
      text: INSERT_ITEM_SQL,
      values: [
        ownerId,
        id,
        number,
        project_id,
        state['id'],
        title,
        detail,
        due_date,
        PRIORITIES.indexOf(priority as string),
        now,
      ],
    })
    await client.query({
      name: 'activity',
      text: INSERT_ACTIVITY_SQL,
      values: [ownerId, uuid(), id, project_id, title, now],
    })
    await client.query({
      name: 'document',
      text: INSERT_DOCUMENT_SQL,
      values: [ownerId, id, project_id, textVector(String(title), String(detail)), now],
    })
    await client.query('commit')
    const item = {
      ref: `${String(project_key)}#${String(number)}`,
      title,
      due_date,
      priority,
      status: state['name'],
      system_status: state['system_status'],
      agile_kind: 'task',
      updated_at: now,
    }
    return { item, changed: ['title', 'detail', 'due_date', 'priority'] }
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
})

await app.listen({ host: '127.0.0.1', port: 0 })
process.send!((app.server.address() as AddressInfo).port)
process.once('disconnect', () => process.exit())
