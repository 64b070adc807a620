import { clearable, sql, Type } from 'tasuki/plugin'
import { cleanName, definePlacement } from '../items/index.ts'

export const NAME_MAX = 120

/** Normalizes a name to its stored form. @throws ToolError invalid_argument for blank text */
export const versionName = (text: string): string => cleanName(text, { noun: 'version name', max: NAME_MAX })

/** The placement of items in versions. */
export const versions = definePlacement({
  noun: 'version',
  table: 'versions.versions',
  aliases: ['v'],
  memberTable: 'versions.item_versions',
  column: 'version_id',
  order: sql.raw(`v.status <> 'planning', v.id desc`),
  feature: 'roadmap',
  missingHint: 'Give an existing name; versions_create makes a new version.',
  mostAllowed: 20,
  params: {
    version: {
      tool: 'items_create',
      schema: clearable(Type.String({ maxLength: NAME_MAX, description: 'Version name; empty = none.' })),
    },
  },
  include: 'include_agile',
  fields: { version_id: 'id', version_name: 'name' },
  writtenField: 'version_name',
  filter: { summary: 'version name', example: 'version:"1.2"' },
  hasSummary: 'a version',
})
