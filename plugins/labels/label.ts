import { choice, guarded, nullable, Type, type Static } from 'tasuki/plugin'

/** A label definition as tools return it. */
export const labelSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  color_hex: Type.Optional(nullable(Type.String())),
  display_order: Type.Integer(),
  item_count: Type.Integer({ description: 'Items that carry it, closed and archived ones too.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type LabelRecord = Static<typeof labelSchema>

/** The result of a write of a label. */
export const labelResult = Type.Object({
  label: labelSchema,
  changed: Type.Array(choice(['name', 'description', 'color_hex'])),
})

export const labelId = guarded(Type.String({ description: 'Id or name.' }), { minLength: 1, maxLength: 100 })
export const description = (text: string) => Type.String({ maxLength: 500, description: text })
export const color = () => guarded(Type.String({ description: '#RRGGBB.' }), { pattern: '^#[0-9A-Fa-f]{6}$' })
