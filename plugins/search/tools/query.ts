import { choice, defineTool, guarded, nullable, ToolError, Type } from 'tasuki/plugin'
import type { All, ReadContext, TProperties } from 'tasuki/plugin'
import { explainEmpty } from '../../items/index.ts'
import { addSynonyms } from '../synonyms/expand.ts'
import { BUILT_IN, queryVector, usesSynonyms } from '../embedding/provider.ts'
import { searchKinds, type KindRequest } from '../points.ts'
import { searchItems } from '../ranking/items.ts'
import { readRequest } from '../ranking/request.repository.ts'

const ITEM = 'item'
const LIMIT = 10

const Hit = Type.Object({
  ref: Type.String(),
  type: Type.String(),
  title: Type.String(),
  status: Type.String(),
  snippet: Type.Optional(Type.String({ description: 'Hits in «».' })),
  score: Type.Optional(Type.Number()),
})

function input(all: All) {
  return Type.Object({
    q: guarded(Type.String({ description: 'Words and filters; see search_help.' }), {
      minLength: 1,
      maxLength: 2000,
    }),
    mode: Type.Optional(
      choice(['fulltext', 'semantic', 'hybrid'], {
        default: 'fulltext',
        description: 'By words, by meaning, or both.',
      }),
    ),
    kinds: Type.Optional(
      Type.Array(choice([ITEM, ...all(searchKinds).map(({ kind }) => kind)]), {
        minItems: 1,
        description: 'Default item; filters are for items.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: LIMIT, description: 'Results per kind.' })),
    cursor: Type.Optional(guarded(Type.String({ description: 'From next_cursor; items only.' }), { maxLength: 4000 })),
  })
}

function output(all: All) {
  const lists: TProperties = Object.fromEntries(
    all(searchKinds).map(({ list, row }) => [list, Type.Optional(Type.Array(row))]),
  )
  return Type.Object({
    items: Type.Optional(Type.Array(Hit)),
    ...lists,
    next_cursor: nullable(Type.String()),
    provider: Type.Optional(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
  })
}

export const query = defineTool({
  name: 'query',
  class: 'R',
  title: 'Search',
  summary: 'Searches items and chat history, best first. For every match of an exact text use items_grep.',
  rank: 80,
  input,
  output,
  async run(ctx, { q, mode = 'fulltext', kinds = [ITEM], limit = LIMIT, cursor }) {
    const wanted = new Set(kinds)
    const onlyItems = wanted.size === 1 && wanted.has(ITEM)
    if (cursor !== undefined && !onlyItems) throw pagedKindsError(kinds)
    const request = readRequest(ctx, q)
    const warnings = [...request.warnings]
    const { words, vector, provider } = await addMeaning(ctx, mode, request.words, warnings)
    const found = wanted.has(ITEM)
      ? await searchItems(ctx, { request: { ...request, words }, mode, vector, limit, cursor, search: `${mode} ${q}` })
      : { next_cursor: null, warnings: [] }
    const lists: Record<string, readonly object[]> = {}
    for (const { kind, list, search } of ctx.all(searchKinds))
      if (wanted.has(kind)) lists[list] = await search(ctx, { words, mode, vector, limit })
    warnings.push(...found.warnings)
    if ('items' in found && found.items.length === 0 && request.filtered && cursor === undefined)
      warnings.push(...(await explainEmpty(ctx, request.terms)))
    if (request.filtered && Object.keys(lists).length > 0) warnings.push('Filters apply to items only.')
    const { warnings: _warnings, next_cursor: next, ...rest } = found
    return {
      ...rest,
      ...lists,
      ...(provider !== undefined && { provider }),
      next_cursor: onlyItems ? next : null,
      ...(warnings.length > 0 && { warnings }),
    }
  },
})

/** Adds synonyms or a vector to the words, unless they are searched as they are. */
async function addMeaning(
  ctx: ReadContext,
  mode: KindRequest['mode'],
  words: KindRequest['words'],
  warnings: string[],
): Promise<Pick<KindRequest, 'words' | 'vector'> & { readonly provider?: string | undefined }> {
  if (mode === 'fulltext' || words.length === 0) return { words, vector: null }
  if (usesSynonyms(ctx)) return { words: await addSynonyms(words), vector: null, provider: BUILT_IN }
  const vector = await queryVector(ctx, words, warnings)
  return { words, vector, provider: vector?.provider.name }
}

function pagedKindsError(kinds: readonly string[]): ToolError {
  return new ToolError('invalid_argument', `A cursor pages items only, not ${kinds.join(', ')}.`, {
    field: 'cursor',
    hint: 'Leave the cursor out, or ask for kinds ["item"].',
  })
}
