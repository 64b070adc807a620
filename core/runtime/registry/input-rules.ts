import { FormatRegistry, Kind, type TObject, type TSchema } from '@sinclair/typebox'

/** Returns the first problem of an input schema that makes clients reject the tool or models guess; null if there is none. */
export function inputProblem(input: TObject): string | null {
  if (input['type'] !== 'object') return 'its input must be an object schema'
  const word = ['anyOf', 'oneOf', 'allOf', 'not'].find(key => key in input)
  if (word !== undefined) return `its input has a top-level ${word}, which some clients reject`
  const [foreign] = foreignTypes(input, '')
  if (foreign !== undefined) return foreign
  const broken = textsOf(input, 'pattern').find(pattern => !isPattern(pattern))
  if (broken !== undefined) return `its input has the pattern ${broken}, which is no regular expression`
  const unchecked = textsOf(input, 'format').find(format => !FormatRegistry.Has(format))
  if (unchecked !== undefined)
    return `its input has the format ${unchecked}, which the host cannot check, so every value would be refused; leave it out`
  const undescribed = Object.entries(input.properties).find(([, schema]) => !descriptionOf(schema))
  return undescribed ? `parameter ${undescribed[0]} has no description; models fill it in by that` : null
}

/** Returns the problem of an output schema that makes clients reject the tool; null if there is none. */
export function outputProblem(output: TObject): string | null {
  return output['type'] === 'object' ? (foreignTypes(output, '')[0] ?? null) : 'its output must be an object schema'
}

function descriptionOf(schema: TSchema): string | undefined {
  const variants = (schema['anyOf'] ?? []) as readonly TSchema[]
  return schema.description ?? variants.map(descriptionOf).find(text => text)
}

/** Lists the values of a keyword. */
function textsOf(schema: unknown, keyword: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own: unknown = Reflect.get(schema, keyword)
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(schema).flatMap(inner => textsOf(inner, keyword))]
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

/** Describes each type, as that of `a.b`, that is an array, or that only JavaScript has, such as `Type.Date`. */
function foreignTypes(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const type = !Array.isArray(schema) && 'type' in schema ? schema.type : undefined
  const isForeign = Array.isArray(type) || (Kind in schema && type !== undefined && !JSON_TYPES.includes(type))
  const fix = (): string =>
    `the type of ${path || 'the schema'} is ${Array.isArray(type) ? 'an array' : 'not one of JSON'}, which some clients reject; use nullable(), anyOf or Type.String()`
  const inner = Object.entries(schema).flatMap(([key, value]) =>
    foreignTypes(value, STRUCTURE.has(key) ? path : path === '' ? key : `${path}.${key}`),
  )
  return isForeign ? [fix(), ...inner] : inner
}

/** Keywords of a schema that are not parameter names. */
const STRUCTURE = new Set(['properties', 'items', 'anyOf', 'oneOf', 'allOf'])
const JSON_TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
