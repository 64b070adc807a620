import { ToolFailure } from 'tasuki/testing'
import type { JsonSchema } from '../arguments.ts'
import { ABSENT, MARKER, NUMBERS, type Actor, type Pair } from './world.ts'

export type Fields = Readonly<Record<string, unknown>>
/** An answer as text, for comparison with another one. */
export interface Answer {
  readonly text: string
  readonly refused: boolean
}

/** Parts that differ between any two answers. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // With underscores in the key of a custom field, which answers repeat as the caller wrote it.
  [/[0-9a-f]{8}([-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}/gi, '<id>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>'],
  [/(?<="confirm_token":")[^"]+/g, '<token>'],
  [/(?<=(signature|expires)=)[\w-]+/g, '<signed>'],
]

/** Renders an answer without the parts that differ between any two answers. */
export function maskVolatile(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return VOLATILE.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), text)
}

/** Also removes the names that the caller sent. */
export function maskTyped(text: string): string {
  return text.replaceAll(TYPED, '<word>').replaceAll(NUMBERS, '<number>')
}
const TYPED = new RegExp(`${MARKER}|${ABSENT}`, 'gi')

/** Calls a tool, and repeats the call with the confirm token if the tool asks for it. */
export async function callWithConfirmation(actor: Actor, tool: string, args: Fields): Promise<Answer> {
  const answer = await actor.call(tool, args).catch((error: unknown) => error)
  if (!(answer instanceof Error)) return { text: JSON.stringify(answer), refused: false }
  if (!(answer instanceof ToolFailure)) return { text: answer.message, refused: true }
  const { code, message, field, hint, allowed, details } = answer
  const { confirm_token: token, ...otherDetails } = details
  const text = JSON.stringify({ code, message, field, hint, allowed, otherDetails })
  if (code !== 'confirmation_required') return { text, refused: true }
  const second = await callWithConfirmation(actor, tool, { ...args, confirm_token: token })
  return { text: `${text}\n${second.text}`, refused: second.refused }
}

/** A parameter that accepts any text, with a function that sets it. */
export interface TextParameter {
  readonly name: string
  readonly put: (args: Fields, text: string) => Fields
}

/** Returns the text parameters of a tool, including those of objects in lists, and names of members. */
export function textParameters({ properties = {} }: JsonSchema): readonly TextParameter[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    name === 'confirm_token'
      ? []
      : placesIn(schema).map(({ path, put }) => ({
          name: `${name}${path}`,
          put: (args, text) => ({ ...args, [name]: put(args[name], text) }),
        })),
  )
}

interface Place {
  readonly path: string
  readonly put: (before: unknown, text: string) => unknown
}

function placesIn(schema: JsonSchema): readonly Place[] {
  if (schema.anyOf) return schema.anyOf.flatMap(placesIn)
  if (schema.enum) return []
  if (schema.type === 'string') return [{ path: '', put: (_before, text) => text }]
  if (schema.type === 'array') return placesInList(schema)
  return schema.type === 'object' ? placesInObject(schema) : []
}

function placesInList({ items = {}, minItems = 1 }: JsonSchema): readonly Place[] {
  return placesIn(items).map(({ path, put }) => ({
    path: `[]${path}`,
    put: (before, text) => {
      const [first, ...rest] = Array.isArray(before) ? (before as unknown[]) : []
      const placed = [put(first, text), ...rest]
      return placed.length < minItems ? [...placed, text] : placed
    },
  }))
}

/** An object without declared members takes the text as a member name. */
function placesInObject({ properties = {} }: JsonSchema): readonly Place[] {
  if (Object.keys(properties).length === 0) return [{ path: '{}', put: (_before, text) => ({ [text]: 'x' }) }]
  return Object.entries(properties).flatMap(([name, member]) =>
    placesIn(member).map(({ path, put }) => ({
      path: `.${name}${path}`,
      put: (before: unknown, text: string) => {
        const known = before as Fields | undefined
        return { ...known, [name]: put(known?.[name], text) }
      },
    })),
  )
}

const REFERENCES: readonly (readonly [RegExp, RegExp])[] = [
  [/_ref\b|_refs\b|parent$|item_id/, /ref$|item id/],
  [/project_key|to_project|^key$/, /key$|project/],
  [/sprint|version|area|label|field|series|workflow|state|path|folder/, /name$|key$| id$/],
  [/_ids?\b/, / id$|name$/],
  [/^(q|filters|pattern|title|query)$/, /name$|ref$/],
]

/** Tells whether a parameter of that name may refer to this kind of record. A normal run covers only such pairs. */
export function isLikely(parameter: string, { kind }: Pair): boolean {
  return REFERENCES.some(([names, kinds]) => names.test(parameter) && kinds.test(kind))
}

/** Hashes a text to a number from 0 to 1 that is the same in each run. */
export function hashToUnit(text: string): number {
  let hash = 2_166_136_261
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619)
  return (hash >>> 0) / 2 ** 32
}
