import type { TProperties, TSchema } from '@sinclair/typebox'
import { guarded } from '../../plugin/fields.ts'

/** Characters of a text whose schema says no limit: more than any name, path or word has. */
const TEXT_MAX = 4000
/** Entries of a list whose schema says no limit. */
const LIST_MAX = 1000

/** Limits every text and list of an input that its author left without a limit, so that no argument holds the process for long. */
export function withBounds<S extends TSchema>(schema: S): S {
  return limits(schema).reduce<S>((bounded, limit) => guarded(bounded, limit), {
    ...schema,
    ...(schema['properties'] !== undefined && {
      properties: mapValues(schema['properties'] as TProperties, withBounds),
    }),
    ...(schema['items'] !== undefined && { items: withBounds(schema['items'] as TSchema) }),
    ...(schema['anyOf'] !== undefined && { anyOf: (schema['anyOf'] as readonly TSchema[]).map(withBounds) }),
    ...(typeof schema['additionalProperties'] === 'object' && {
      additionalProperties: withBounds(schema['additionalProperties'] as TSchema),
    }),
  })
}

function limits({ type, enum: choices, maxLength, maxItems }: TSchema): readonly Readonly<Record<string, number>>[] {
  if (type === 'string' && choices === undefined && maxLength === undefined) return [{ maxLength: TEXT_MAX }]
  return type === 'array' && maxItems === undefined ? [{ maxItems: LIST_MAX }] : []
}

function mapValues(properties: TProperties, change: (schema: TSchema) => TSchema): TProperties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema)]))
}
