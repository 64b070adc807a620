import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { Check, ValuePointer } from '@sinclair/typebox/value'
import { throwAll, ToolError } from '../plugin/errors.ts'
import { READ_AS, type ReadAs } from '../plugin/fields.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'
import { choicesOf, hintFor, type HintContext } from './argument-hints.ts'
import { isObject } from './message.ts'
import { clip, countCharacters } from '../plugin/clip.ts'
import { nearest } from '../plugin/nearest.ts'
import { describeExpectation } from '../runtime/registry/expectation.ts'
import { wordsOf } from './similar-tools.ts'

const MAX_DEPTH = 64
const MAX_PROBLEMS = 20
/** No object needs more members, and each is looked at several times. */
const MAX_MEMBERS = 1000

type Input = Readonly<Record<string, unknown>>

/**
 * Normalizes the arguments of a call by the tool's input schema. A null for an optional argument counts as absent unless the schema allows
 * null, and unambiguous variants of a value (`9:30`) are converted.
 * @param tools tools of the caller, which hints may name
 * @throws ToolError with all problems at once
 */
export function readArguments(
  { check, input, tool }: Pick<CompiledTool, 'check' | 'input'> & Partial<Pick<CompiledTool, 'tool'>>,
  args: Input,
  tools: Pick<ReadonlyMap<string, unknown>, 'has'> = NO_TOOLS,
): Input {
  checkStorable(args)
  if (check.Check(args)) return args
  const read = readValue(input, args) as Input
  const problems = argumentProblems(check, read, { input, tools, misnomers: tool?.misnomers })
  if (problems.length > 0) throwAll(problems)
  return read
}
const NO_TOOLS: ReadonlySet<string> = new Set()

/**
 * Compiles a validator for the input of HTTP routes of plugins, with the same errors as tool arguments. A schema that should reject unknown
 * properties needs `additionalProperties: false`.
 * @returns a function that normalizes its input as `readArguments` does and throws a ToolError with all problems at once
 */
export function inputChecker<S extends TObject>(schema: S): (input: unknown) => Static<S> {
  const check = TypeCompiler.Compile(schema)
  return input => readArguments({ check, input: schema }, input as Input)
}

/** Converts a value that does not match its schema, or returns it unchanged if no conversion applies. */
function readValue(schema: TSchema, value: unknown): unknown {
  if (isValid(schema, value)) return value
  const readAs = schema[READ_AS] as ReadAs | undefined
  const read = readAs?.(value)
  if (read !== undefined && isValid(schema, read)) return read
  const variants = (schema['anyOf'] ?? []) as readonly TSchema[]
  for (const variant of variants) {
    const converted = readValue(variant, value)
    if (converted !== value) return converted
  }
  if (Array.isArray(value)) {
    const items = schema['items'] as TSchema | undefined
    return items ? value.map(entry => readValue(items, entry)) : value
  }
  return isObject(value) && isObject(schema['properties']) ? readMembers(schema as TObject, value) : value
}

const isValid = (schema: TSchema, value: unknown): boolean => Check(schema, value)

function readMembers({ properties, required = [] }: TObject, value: Input): Input {
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!property) return [[name, member] as const]
    const read = readValue(property, member)
    const isLeftOut = read === null && !required.includes(name) && !isValid(property, null)
    return isLeftOut ? [] : [[name, read] as const]
  })
  return Object.fromEntries(entries)
}

/** Rejects values that cannot be stored or take too long to walk: NUL, lone surrogates, deep nesting and very large objects. */
export function checkStorable(value: unknown): void {
  const problem = findUnstorable(value, '', 0)
  if (problem) throw problem
}

function findUnstorable(value: unknown, path: string, depth: number): ToolError | null {
  if (typeof value === 'string') {
    if (value.includes('\0'))
      return refuseValue(path, 'contains the character U+0000, which cannot be stored', 'Send the text without it.')
    if (!value.isWellFormed())
      return refuseValue(
        path,
        'contains half a surrogate pair, which is not text',
        'Send whole characters: do not cut an emoji.',
      )
    return null
  }
  if (value === null || typeof value !== 'object') return null
  if (depth >= MAX_DEPTH) return refuseValue(path, `is nested deeper than ${MAX_DEPTH} levels`, 'Send fewer levels.')
  const members = Object.entries(value)
  if (!Array.isArray(value) && members.length > MAX_MEMBERS)
    return refuseValue(path, `has more than ${MAX_MEMBERS} members`, 'Send fewer members.')
  for (const [key, member] of members) {
    const problem = findUnstorable(key, path, depth) ?? findUnstorable(member, `${path}/${key}`, depth + 1)
    if (problem) return problem
  }
  return null
}

function refuseValue(path: string, what: string, hint: string): ToolError {
  const field = fieldName(path)
  return new ToolError('invalid_argument', `${clip(field)} ${what}`, { field: clip(field), hint })
}

function argumentProblems(check: CompiledTool['check'], input: unknown, context: HintContext): ToolError[] {
  const problems: ToolError[] = []
  const seen = new Set<string>()
  for (const error of check.Errors(input)) {
    if (seen.has(error.path)) continue
    seen.add(error.path)
    if (fitsInCharacters(error)) continue
    problems.push(problemOf(error, context))
    if (problems.length === MAX_PROBLEMS) break
  }
  return problems
}

/** The compiled check counts UTF-16 units, but JSON Schema counts characters: an emoji is one. */
function fitsInCharacters(error: ValueError): boolean {
  if (error.type === ValueErrorType.Union)
    return error.errors.some(variant => {
      const found = [...variant]
      return found.length > 0 && found.every(fitsInCharacters)
    })
  if (error.type !== ValueErrorType.StringMaxLength) return false
  return countCharacters(error.value as string) <= (error.schema['maxLength'] as number)
}

function problemOf(found: ValueError, context: HintContext): ToolError {
  const error = innermost(found)
  const field = clip(fieldName(error.path))
  if (error.type === ValueErrorType.ObjectAdditionalProperties) return unknownArgument(field, error, context)
  const expected = describeExpectation(error.schema)
  const allowed = choicesOf(error.schema)
  const isMissing = error.type === ValueErrorType.ObjectRequiredProperty
  const hint = isMissing ? error.schema.description : hintFor(field, error.value, error.schema, context)
  const help = { field, ...(hint && { hint }), ...(allowed && { allowed }) }
  if (isMissing) return new ToolError('missing_argument', `${field} is required: ${expected}`, help)
  return new ToolError('invalid_argument', `${field} must be ${expected}, got ${formatValue(error.value)}`, help)
}

/** A nullable value fails as a union. Returns the error of its only variant besides null. */
function innermost(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union || error.value === null) return error
  const variants = (error.schema['anyOf'] ?? []) as readonly TSchema[]
  const real = variants.flatMap((variant, index) => (variant['type'] === 'null' ? [] : [index]))
  const inner = real.length === 1 ? error.errors[real[0]!]?.First() : undefined
  return inner && inner.path !== error.path ? innermost(inner) : error
}

function unknownArgument(field: string, error: ValueError, { misnomers }: HintContext): ToolError {
  const known = Object.keys((error.schema['properties'] ?? {}) as object)
  const name = [...ValuePointer.Format(error.path)].at(-1) ?? ''
  const meant = meantParameter(name, known)
  const members = membersOf(error.value)
  const hint = known.some(each => members.includes(each))
    ? `Send what is in ${field} as the arguments themselves.`
    : meant === null
      ? 'Leave it out; see allowed for the known parameters.'
      : `Did you mean "${meant}"?`
  return new ToolError('unknown_argument', `${field} is not a parameter here`, {
    field,
    hint: misnomers && Object.hasOwn(misnomers, field) ? misnomers[field]! : hint,
    allowed: known,
  })
}

/** Lists the members of an object, which a model may have written as its JSON. */
function membersOf(value: unknown): readonly string[] {
  if (isObject(value)) return Object.keys(value)
  return typeof value === 'string' && /^\s*\{/.test(value)
    ? [...value.slice(0, MAX_MEMBERS).matchAll(/"(\w+)"\s*:/g)].map(([, name]) => name!)
    : []
}

/** Words in the names of parameters, and names that other programs have for them. */
const SYNONYMS: readonly { readonly here: readonly string[]; readonly elsewhere: readonly string[] }[] = [
  { here: ['ref', 'refs'], elsewhere: ['id', 'ids', 'item_id', 'items', 'note_id', 'task_id'] },
  { here: ['title', 'name'], elsewhere: ['name', 'subject', 'title'] },
  {
    here: ['detail', 'body', 'content', 'description'],
    elsewhere: ['body', 'content', 'description', 'detail', 'markdown', 'text'],
  },
  { here: ['labels'], elsewhere: ['label', 'tag', 'tags'] },
  { here: ['due'], elsewhere: ['deadline', 'due'] },
  { here: ['rule'], elsewhere: ['rrule'] },
  { here: ['q', 'pattern'], elsewhere: ['filter', 'filters', 'query', 'search'] },
]

/** Finds the parameter that a name probably means: `itemRef`, a typo, `start` for start_date, `task_id` for item_ref. */
function meantParameter(name: string, known: readonly string[]): string | null {
  const plain = wordsOf(name.slice(0, 64)).join('_')
  // `date` may mean several.
  const [part, other] = known.filter(each => each.split('_').includes(plain))
  const alike = SYNONYMS.find(({ elsewhere }) => elsewhere.includes(plain))?.here
  const synonym = known.find(each => each.split('_').some(word => alike?.includes(word)))
  return nearest(plain, known) ?? (other === undefined ? part : undefined) ?? synonym ?? null
}

function formatValue(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 80 ? `a string of ${countCharacters(value)} characters` : JSON.stringify(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (value === null || typeof value !== 'object') return String(value)
  return Object.keys(value).length === 0 ? 'an empty object' : 'an object'
}

/** Formats a JSON pointer: `/members/0/item_ref` → `members[0].item_ref`. */
function fieldName(path: string): string {
  const segments = [...ValuePointer.Format(path)]
  if (segments.length === 0) return 'arguments'
  return segments
    .map((segment, index) => (/^\d+$/.test(segment) ? `[${segment}]` : index === 0 ? segment : `.${segment}`))
    .join('')
}
