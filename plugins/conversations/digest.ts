import {
  toolCallObservers,
  firstCharacters,
  fixedPlan,
  sql,
  uuid,
  type FinishedCall,
  type WriteContext,
} from 'tasuki/plugin'
import { textVector } from '../search/index.ts'
import { continued, partyOf, type Party } from './thread.ts'

/** References that a digest names, and characters of a title. */
const MOST_REFS = 5
const TITLE_MAX = 80

/**
 * Each tool call leaves a digest in the thread of its credential and client: the tool, what it was about and how it ended. Of the
 * arguments only references, the project and a title are taken: bodies, searches and whatever else a plugin takes may hold a secret.
 */
export const digests = toolCallObservers<Digest>({ record: digestOf, store: addDigests })

export function digestOf({ tool, toolClass, actor, at, input, result, ok, error }: FinishedCall): Digest {
  const refs = refsOf(input, toolClass === 'R' ? null : result)
  const title = typeof input['title'] === 'string' ? shown(input['title']) : ''
  const outcome = ok ? 'ok' : (error ?? 'failed')
  const about = refs.length === 0 ? '' : ` ${refs.join(' ')}`
  const content = `${tool}${about}${title === '' ? '' : ` ${title}`}${ok ? '' : ` (${outcome})`}`
  return { ...partyOf(actor), id: uuid(), content, tool, title: title === '' ? null : title, refs, outcome, at }
}

/** As people write references; what else somebody may put there is none. */
const REF = /^[^\p{C}\s]{1,60}$/u
/** The record that a write returns comes first in its answer. */
const RETURNED = /^.{0,40}?"(?:item_)?ref":"([^"\\]{1,60})"/

function refsOf(input: FinishedCall['input'], result: string | null): string[] {
  const refs: string[] = []
  const take = (value: unknown): void => {
    if (typeof value === 'string' && refs.length < MOST_REFS && REF.test(value) && !refs.includes(value))
      refs.push(value)
  }
  for (const name in input) {
    const value = input[name]
    if (name.endsWith('_ref') || name === 'project_key') take(value)
    else if (name.endsWith('_refs') && Array.isArray(value)) value.slice(0, MOST_REFS).forEach(take)
  }
  if (result !== null) take(RETURNED.exec(result)?.[1])
  return refs
}

/** On one line, and without what the database cannot keep. */
function shown(title: string): string {
  const line = title
    .slice(0, 2 * TITLE_MAX)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return firstCharacters(line, TITLE_MAX)
}

/** The digest of a call, on its way to the current thread of its party. */
export interface Digest extends Party {
  readonly id: string
  readonly content: string
  readonly tool: string
  readonly title: string | null
  readonly refs: readonly string[]
  readonly outcome: string
  readonly at: Date
}

/** Adds digests of calls to the current threads of their parties, opening those that are missing, in one statement. Vectors are left to the job. */
async function addDigests(ctx: WriteContext, digests: readonly Digest[]): Promise<void> {
  // Clients repeat themselves: each party is sent once, and so is what equal digests say.
  const parties = new Numbered<object>()
  const sayings = new Numbered<object>()
  const rows = digests.map(({ ownerId, credential, client, id, content, tool, title, refs, outcome, at }) => {
    // With a new thread, should the party need one.
    const party = parties.place(`${ownerId} ${credential} ${client}`, n => ({
      party: n,
      owner_id: ownerId,
      credential,
      client,
      fresh: uuid(),
    }))
    // With how it ended and the number of references it is clear where in the content the title stands.
    const saying = sayings.place(`${outcome} ${refs.length} ${content}`, n => ({
      saying: n,
      content,
      tool,
      title,
      refs,
      outcome,
      tsv: textVector('', content),
    }))
    return { party, saying, id, ms: at.getTime() }
  })
  // One plan, and with it one for the check of each message's thread, which would else be planned for every single message.
  await sql`
    with ${fixedPlan} given as materialized (
      select p.*, s.*, r.id, to_timestamp(r.ms / 1000.0) as at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (party int, saying int, id uuid, ms float8)
      join json_to_recordset(${JSON.stringify(parties.all)}::json) as p (party int, owner_id uuid, credential text, client text, fresh uuid)
        using (party)
      join (select o.saying, o.content, o.tool, o.title, o.refs, o.outcome, o.tsv::tsvector as tsv
        from json_to_recordset(${JSON.stringify(sayings.all)}::json) as o (saying int, content text, tool text, title text, refs jsonb,
          outcome text, tsv text)) s using (saying)),
    parties as (
      select owner_id, credential, client, fresh, count(*)::int as messages, min(at) as first_at, max(at) as last_at
      from given group by owner_id, credential, client, fresh),
    c as (
      insert into conversations.current as c (owner_id, credential, client, thread_id, last_at)
      select owner_id, credential, client, fresh, last_at from parties order by owner_id, credential, client
      on conflict (owner_id, credential, client) do update set ${continued} returning c.*),
    t as (
      insert into conversations.threads as t (owner_id, id, credential, client, tsv, messages, started_at, last_at)
      select c.owner_id, c.thread_id, c.credential, c.client, ''::tsvector, p.messages, p.first_at, p.last_at
      from c join parties p on p.owner_id = c.owner_id and p.credential = c.credential and p.client = c.client
      on conflict (owner_id, id) do update set messages = t.messages + excluded.messages, last_at = greatest(t.last_at, excluded.last_at),
        closed_at = null)
    insert into conversations.messages (owner_id, id, thread_id, role, content, tool, title, refs, outcome, tsv, created_at)
    select g.owner_id, g.id, c.thread_id, 'tool', g.content, g.tool, g.title, g.refs, g.outcome, g.tsv, g.at
    from given g join c on c.owner_id = g.owner_id and c.credential = g.credential and c.client = g.client
  `.execute(ctx.db)
}

/** Values that are equal by their key, numbered as they come. */
class Numbered<T> {
  readonly all: T[] = []
  readonly #places = new Map<string, number>()
  /** @returns the number of the value of that key */
  place(key: string, make: (n: number) => T): number {
    let n = this.#places.get(key)
    if (n === undefined) {
      n = this.all.length
      this.#places.set(key, n)
      this.all.push(make(n))
    }
    return n
  }
}
