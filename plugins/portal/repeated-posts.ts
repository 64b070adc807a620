import type { FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import type { Asked } from './auth/reauthenticate.ts'
import type { Answer } from './page.ts'
import type { Posted } from './posted-form.ts'
import { ONCE } from './ui/form.ts'

/** A form as one browser sent it. */
export interface SentForm extends Posted {
  /** Session or visitor. */
  readonly holder: string | undefined
  readonly address: string
}

type Outcome = Answer | { readonly asked: Asked }

/** How long an answer is kept, and one that signs in: as long as a double click takes. */
const KEPT_MS = 30_000
const SIGN_IN_MS = 3000
/** Most answers that are kept; the oldest goes first. */
const MOST = 1000

const kept = new Map<string, Promise<{ readonly outcome: Outcome; readonly cookies: readonly string[] }>>()

/**
 * Runs a form once for the page that contains it. A post that repeats an earlier one (a double click, a reload of its answer) gets the
 * answer and the cookies of that one: the browser shows only the last answer, and a new secret is in the first. Answers are kept in memory
 * for half a minute; errors, downloads and requests for a confirmation are not kept.
 */
export async function runOnce(reply: FastifyReply, sent: SentForm, run: () => Promise<Outcome>): Promise<Outcome> {
  if ((sent.body[ONCE] ?? '') === '') return run()
  const key = hashOf(sent)
  for (let first = kept.get(key); first; first = kept.get(key)) {
    const { outcome, cookies } = (await first.catch(() => null)) ?? {}
    if (outcome === undefined || !isKept(outcome)) continue
    reply.header('set-cookie', cookies)
    return outcome
  }
  const running = run().then(outcome => ({
    outcome,
    cookies: [reply.getHeader('set-cookie') ?? []].flat().map(String),
  }))
  kept.set(key, running)
  if (kept.size > MOST) kept.delete(kept.keys().next().value!)
  const forget = (): unknown => kept.get(key) === running && kept.delete(key)
  try {
    const { outcome, cookies } = await running
    if (isKept(outcome)) setTimeout(forget, cookies.length > 0 ? SIGN_IN_MS : KEPT_MS).unref()
    else forget()
    return outcome
  } catch (error) {
    forget()
    throw error
  }
}

const isKept = (outcome: Outcome): boolean => !('asked' in outcome || 'file' in outcome)

/** Everything that was entered counts: a person who goes back and changes a value sends another form. */
function hashOf({ holder, address, body, files }: SentForm): string {
  const sizes = Object.values(files).map(all => all.map(({ name, bytes }) => [name, bytes.length]))
  const text = JSON.stringify([holder, address, body, sizes])
  return createHash('sha256').update(text).digest('base64url')
}
