import { choice, defineTool, nullable, Type, widen, type All } from 'tasuki/plugin'
import { grepFields, grepItems, OWN_FIELDS } from '../grep/search.ts'
import { compilePattern } from '../grep/pattern.ts'
import { itemGrepFields } from '../points.ts'

const Input = Type.Object(
  {
    pattern: Type.String({ minLength: 1, maxLength: 1000, description: 'Text, or an RE2 expression with regex.' }),
    regex: Type.Optional(Type.Boolean({ description: 'pattern is a regular expression.' })),
    ignore_case: Type.Optional(Type.Boolean({ description: 'Match any case.' })),
    filters: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Filter query without free words, see search_help.' }),
    ),
    context_chars: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 500, default: 80, description: 'Characters around each match.' }),
    ),
    count_only: Type.Optional(Type.Boolean({ description: 'Counts per item instead of snippets.' })),
    limit_items: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items per page.' })),
    max_snippets_per_item: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 3, description: 'Snippets per item.' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From next_cursor.' })),
  },
  { additionalProperties: false },
)

function contributed(all: All) {
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

const Snippet = Type.Object({
  field: Type.String(),
  before: Type.String(),
  match: Type.String(),
  after: Type.String(),
})

export const itemsGrep = defineTool({
  name: 'items_grep',
  class: 'R',
  title: 'Search text exactly',
  summary:
    'Exhaustive literal or regular-expression search in items, in stable order, with snippets; go on with next_cursor until it is null. Use tasks_list for filters alone.',
  rank: 121,
  input: all => widen(Input, contributed(all)),
  output: Type.Object({
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
  }),
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
    })
  },
})
