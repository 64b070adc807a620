import { firstCharacters, isLonger, nameKey, quoteName, Type } from 'tasuki/plugin'
import { exportParts, listSection, importParts } from '../transfer/points.ts'
import { FIELD_KEY, makeKey, MOST_FIELDS } from './field.ts'
import { insertFields, readFields } from './field.repository.ts'
import { insertValues, valuesText } from './value.repository.ts'

declare module '../transfer/points.ts' {
  interface ImportedParts {
    readonly custom_fields: readonly {
      /** Without a key, the label finds or creates the field. */
      readonly key?: string
      readonly label: string
      readonly value: string
    }[]
  }
}

const LABEL_MOST = 80
const VALUE_MOST = 4000
const isKey = new RegExp(FIELD_KEY)

/** Custom fields of imported items; missing fields are created up to the limit. */
export const importFields = importParts({
  of: 'custom_fields',
  schema: Type.Array(Type.Object({ key: Type.Optional(Type.String()), label: Type.String(), value: Type.String() })),
  async write(ctx, project, parts) {
    const fields = await readFields(ctx, project, { lock: true })
    const keys = fields.map(field => field.field_key)
    const byLabel = new Map(fields.map(field => [nameKey(field.label), field.field_key]))
    const newFields: { field_key: string; label: string; display_order: number }[] = []
    const keyFor = (key: string | undefined, name: string): string | undefined => {
      const wanted = key !== undefined && isKey.test(key) ? key : undefined
      const known = wanted === undefined ? byLabel.get(nameKey(name)) : keys.find(each => each === wanted)
      if (known !== undefined || keys.length >= MOST_FIELDS) return known
      const label = firstCharacters(name.trim() || wanted || 'Field', LABEL_MOST)
      const fresh = wanted ?? makeKey(label, keys)
      keys.push(fresh)
      byLabel.set(nameKey(name), fresh)
      newFields.push({ field_key: fresh, label, display_order: keys.length })
      return fresh
    }
    const values = parts.flatMap(({ draft, value, note }) => {
      const own = new Map<string, string>()
      for (const { key, label, value: text } of value) {
        const field = keyFor(key, label)
        if (field === undefined)
          note(`the project has ${MOST_FIELDS} custom fields already: ${quoteName(label)} is left out`)
        else own.set(field, firstCharacters(text, VALUE_MOST))
        if (isLonger(text, VALUE_MOST)) note(`a custom field is longer than ${VALUE_MOST} characters: cut`)
      }
      return [...own].map(([key, text]) => ({ item_id: draft.id, key, value: text }))
    })
    await insertFields(ctx, project, newFields)
    await insertValues(ctx, project, values)
  },
})

export const exportFields = exportParts({
  of: 'custom_fields',
  sql: () => valuesText,
  markdown: listSection<'custom_fields'>(
    'Fields',
    ({ label, value }) => `**${label}:** ${value.replaceAll(/\s+/g, ' ')}`,
  ),
})
