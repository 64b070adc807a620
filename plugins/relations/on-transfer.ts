import { Type } from 'tasuki/plugin'
import { exportParts, listSection, importParts } from '../transfer/points.ts'
import { insertRelations, linksText, type Pair } from './relation.repository.ts'
import { RELATION_TYPES, isStored, type StoredType } from './relation.ts'

/** A link from an item to another one in the file. */
export interface ImportedRelation {
  readonly type: string
  /** From this item to the other. */
  readonly outgoing: boolean
  /** Key of the other item in the source. */
  readonly key: string
  /** Reference of the other item for texts. */
  readonly ref?: string
  readonly title?: string
}

declare module '../transfer/points.ts' {
  interface ImportedParts {
    readonly relations: readonly ImportedRelation[]
  }
}

/** Links between imported items; the later item resolves the link. */
export const importRelations = importParts({
  of: 'relations',
  schema: Type.Array(Type.Object({ type: Type.String(), outgoing: Type.Boolean(), key: Type.String() })),
  async write(ctx, _project, parts, source) {
    const found = await source.find(parts.flatMap(({ value }) => value.map(({ key }) => key)))
    const pairs = new Map<StoredType, Pair[]>()
    for (const { draft, value, note } of parts) {
      for (const { type: name, outgoing, key } of value) {
        const type = RELATION_TYPES.find(each => each === name && isStored(each)) as StoredType | undefined
        const id = found.get(key)
        if (!type) note('there is no relation of that type')
        if (!type || id === undefined || id === draft.id) continue
        const own = { ownerId: draft.ownerId, id: draft.id }
        const other = { ownerId: draft.ownerId, id }
        const list = pairs.get(type) ?? []
        list.push(outgoing ? { source: own, target: other } : { source: other, target: own })
        pairs.set(type, list)
      }
    }
    for (const [type, list] of pairs) {
      const unique = new Map(list.map(pair => [`${pair.source.id} ${pair.target.id}`, pair]))
      await insertRelations(ctx, [...unique.values()], type)
    }
  },
})

export const exportRelations = exportParts({
  of: 'relations',
  sql: ctx => linksText(ctx),
  markdown: listSection<'relations'>(
    'Relations',
    ({ type, outgoing, ref, title }) => `${type.replaceAll('_', ' ')} ${outgoing ? '→' : '←'} ${ref} ${title}`,
  ),
})
