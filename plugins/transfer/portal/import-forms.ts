import { json, nameKey, ToolError, type WriteContext } from 'tasuki/plugin'
import { createProject } from '../../projects/index.ts'
import { defineForm, fields, idOf } from '../../portal/index.ts'
import { enqueueImport } from '../run-import.ts'
import { deleteUpload, endUpload, findUpload, updateUpload, type UploadRow } from '../upload.repository.ts'
import { contentOfUpload } from '../upload.service.ts'
import { importTexts as texts } from './import-texts.ts'
import { IMPORT, importAddress } from './plan-upload.ts'

/** @throws ToolError not_found */
export function requireUpload(upload: UploadRow | undefined): UploadRow {
  if (upload) return upload
  throw new ToolError('not_found', 'There is no such import, or it is not kept any more.', { field: 'id' })
}

/** Finds and locks the upload of a page. @throws ToolError not_found; conflict if it is in another state */
async function lockUpload(
  ctx: WriteContext,
  params: Readonly<Record<string, string>>,
  states: readonly UploadRow['state'][],
): Promise<UploadRow> {
  const upload = requireUpload(await findUpload(ctx, idOf(params), { lock: true }))
  if (states.includes(upload.state)) return upload
  throw new ToolError('conflict', `The import is ${upload.state} by now.`, { hint: 'Look at its page again.' })
}

/** Parses choices from the values of selects: `["title","Summary"]`; other values are ignored. */
function pairsOf(values: readonly string[]): Record<string, string> {
  const pairs = values.flatMap((value): [string, string][] => {
    try {
      const pair: unknown = JSON.parse(value)
      const isPair = Array.isArray(pair) && pair.length === 2 && pair.every(part => typeof part === 'string')
      return isPair ? [pair as [string, string]] : []
    } catch {
      return []
    }
  })
  return Object.fromEntries(pairs)
}
/** Returns the value of a choice. */
export const pairOf = (from: string, to: string): string => JSON.stringify([from, to])

/** How the file is read. */
export const optionsForm = defineForm({
  path: `${IMPORT}/options`,
  fields: { format: fields.text({ max: 100 }), columns: fields.multipleChoice(), states: fields.multipleChoice() },
  async run({ params, language, write }, { format, columns, states }) {
    const id = await write(async ctx => {
      const upload = await lockUpload(ctx, params, ['draft'])
      // Columns and states of one format do not apply to another.
      const isSame = nameKey(format) === upload.format
      const chosen = { columns: isSame ? pairsOf(columns) : {}, states: isSame ? pairsOf(states) : {} }
      const content = await contentOfUpload(ctx, upload, { format, columns: new Map(Object.entries(chosen.columns)) })
      await updateUpload(ctx, upload, {
        format: content.format,
        columns: json(chosen.columns),
        states: json(chosen.states),
        total: content.items.length,
      })
      return upload.id
    })
    return { to: importAddress(id), notice: texts(language).saved }
  },
})

/** Starts an import or resumes a stopped one. */
export const startForm = defineForm({
  path: `${IMPORT}/start`,
  fields: {},
  async run({ params, write }) {
    const id = await write(async ctx => {
      const upload = await lockUpload(ctx, params, ['draft', 'failed'])
      const { new_key: key, new_name: name } = upload
      const made = key === null ? null : await createProject(ctx, { ownerId: ctx.actor.userId, key, name: name ?? key })
      await updateUpload(ctx, upload, {
        state: 'running',
        fault: null,
        ...(made && { project_owner_id: made.ownerId, project_id: made.id, new_key: null, new_name: null }),
      })
      await enqueueImport(ctx, upload, upload.position?.from ?? 0)
      return upload.id
    })
    return { to: importAddress(id) }
  },
})

/** Cancels a running import and deletes any other. */
export const stopForm = defineForm({
  path: `${IMPORT}/stop`,
  fields: {},
  async run({ params, language, write }) {
    const t = texts(language)
    const upload = await write(async ctx => {
      const locked = await lockUpload(ctx, params, ['draft', 'running', 'done', 'failed', 'cancelled'])
      if (locked.state === 'running') await endUpload(ctx, locked, { state: 'cancelled' })
      else await deleteUpload(ctx, locked)
      return locked
    })
    if (upload.state === 'running') return { to: importAddress(upload.id), notice: t.cancelled }
    return { to: '/imports', notice: upload.state === 'draft' ? t.discarded : t.removed }
  },
})
