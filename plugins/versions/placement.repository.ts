import { clearable, sql, Type } from 'tasuki/plugin'
import { definePlacement, type PlaceRow } from '../items/index.ts'
import { NAME_MAX, versionArchived, type VersionRecord } from './version.ts'

/** The placement of items in versions. */
export const versions = definePlacement<PlaceRow & Pick<VersionRecord, 'status'>>({
  noun: 'version',
  table: 'versions.versions',
  aliases: ['v'],
  memberTable: 'versions.item_versions',
  column: 'version_id',
  columns: sql.raw(`'status', v.status`),
  order: sql.raw(`v.status <> 'planning', v.id desc`),
  feature: 'roadmap',
  missingHint: 'Give an existing name; versions_create makes a new version.',
  mostAllowed: 20,
  refuse: ({ to, field }) => (to?.status === 'archived' ? versionArchived(to, field) : null),
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
