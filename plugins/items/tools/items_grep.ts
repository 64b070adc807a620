import { choice, defineTool, guarded, nullable, Type, widen, type All } from 'tasuki/plugin'
import { grepFields, grepItems, OWN_FIELDS } from '../grep/search.ts'
import { compilePattern } from '../grep/pattern.ts'
import { itemGrepFields } from '../points.ts'

const Input = Type.Object({
  pattern: guarded(Type.String({ description: 'Text, or RE2 with regex.' }), { minLength: 1, maxLength: 1000 }),
  regex: Type.Optional(Type.Boolean({ description: 'Treat as RE2.' })),
  ignore_case: Type.Optional(Type.Boolean({ description: 'Match any case.' })),
  filters: Type.Optional(
    guarded(Type.String({ description: 'Filter query without free words.' }), { maxLength: 2000 }),
  ),
  context_chars: Type.Optional(
    guarded(Type.Integer({ default: 80, description: 'Around each match.' }), { minimum: 0, maximum: 500 }),
  ),
  count_only: Type.Optional(Type.Boolean({ description: 'No snippets.' })),
  limit_items: Type.Optional(
    guarded(Type.Integer({ default: 50, description: 'Page size.' }), { minimum: 1, maximum: 200 }),
  ),
  max_snippets_per_item: Type.Optional(
    guarded(Type.Integer({ default: 3, description: 'Most per item.' }), { minimum: 1, maximum: 20 }),
  ),
  cursor: Type.Optional(guarded(Type.String({ description: 'From next_cursor.' }), { maxLength: 200 })),
})

function contributeFields(all: All) {
  const fields = all(itemGrepFields)
  const names = [...OWN_FIELDS, ...fields.map(field => field.name)]
  return [
    {
      from: itemGrepFields.id,
      properties: { fields: Type.Array(choice(names), { minItems: 1, description: 'Where to look.' }) },
    },
    ...fields.flatMap(field => (field.params ? [{ from: itemGrepFields.id, properties: field.params }] : [])),
  ]
}

const Snippet = Type.Object({ field: Type.String(), before: Type.String(), match: Type.String(), after: Type.String() })

export const itemsGrep = defineTool({
  name: 'items_grep',
  class: 'R',
  title: 'Search text exactly',
  summary: 'Finds every match of a text or regular expression in items; go on until next_cursor is null.',
  rank: 310,
  input: all => widen(Input, contributeFields(all)),
  output: {
    items: Type.Array(
      Type.Object({
        ref: Type.String(),
        title: Type.String(),
        type: Type.String(),
        count: Type.Integer({ description: 'Matches in the searched fields.' }),
        snippets: Type.Optional(Type.Array(Snippet)),
      }),
    ),
    next_cursor: nullable(Type.String()),
    has_more: Type.Boolean(),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  run(ctx, input) {
    const { regex = false, ignore_case: ignoreCase = false, limit_items: limit = 50 } = input
    return grepItems(ctx, {
      pattern: compilePattern({ pattern: input.pattern, regex, ignoreCase }),
      fields: grepFields(ctx, input),
      filters: input.filters,
      limit,
      snippets: input.count_only ? 0 : (input.max_snippets_per_item ?? 3),
      context: input.context_chars ?? 80,
      cursor: input.cursor,
      search: JSON.stringify([input.pattern, regex, ignoreCase, input.filters, (input as { fields?: unknown }).fields]),
    })
  },
})
