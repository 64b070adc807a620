import type { TProperties, TSchema } from '@sinclair/typebox'
import { guarded } from '../../plugin/fields.ts'

/** Maximum length of strings whose schema has no limit: longer than any name, path or word. */
const TEXT_MAX = 4000
/** Maximum length of arrays whose schema has no limit. */
const LIST_MAX = 1000

/** Adds a limit to each string and array of an input schema that has none, so that no argument blocks the process for long. */
export function withBounds<S extends TSchema>(schema: S): S {
  return missingLimits(schema).reduce<S>((bounded, limit) => guarded(bounded, limit), {
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

function missingLimits({
  type,
  enum: choices,
  maxLength,
  maxItems,
}: TSchema): readonly Readonly<Record<string, number>>[] {
  if (type === 'string' && choices === undefined && maxLength === undefined) return [{ maxLength: TEXT_MAX }]
  return type === 'array' && maxItems === undefined ? [{ maxItems: LIST_MAX }] : []
}

function mapValues(properties: TProperties, change: (schema: TSchema) => TSchema): TProperties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema)]))
}
