import { defineJob, HOUR_MS, json, runInSavepoint, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { importEnded, type EndedImport } from './points.ts'
import { beginImport, importNextSet, recordImported } from './sets.ts'
import { deleteExpired, endUpload, failStalled, findStalled, findUpload, updateUpload } from './upload.repository.ts'
import type { UploadRow } from './upload.repository.ts'
import { choiceOfUpload, contentOfUpload, importOf, requireTarget } from './upload.service.ts'

/**
 * Imports one set of an upload, updates the progress and enqueues the next set, in one transaction, so that an interrupted import resumes
 * where it stopped. A late run for a finished set does nothing.
 */
export const runImport = defineJob({
  name: 'transfer.import',
  payload: Type.Object({ user: Type.String(), id: Type.String(), from: Type.Integer() }),
  forUser: ({ user }) => user,
  async run(ctx, { id, from }) {
    const upload = await findUpload(ctx, id, { lock: true })
    if (upload?.state !== 'running' || (upload.position?.from ?? 0) !== from) return
    try {
      await runInSavepoint(ctx, () => importOne(ctx, upload))
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const { code, message, help } = error
      const fault = { code, message, ...(help.hint !== undefined && { hint: help.hint }) }
      await updateUpload(ctx, upload, { state: 'failed', fault: json(fault) })
      const created = upload.position?.created ?? 0
      await notifyEnded(ctx, upload, { project: null, state: 'failed', created, problems: 0 })
    }
  },
})

async function importOne(ctx: WriteContext, upload: UploadRow): Promise<void> {
  const project = await requireTarget(ctx, upload)
  const content = await contentOfUpload(ctx, upload, choiceOfUpload(upload))
  const choice = importOf(upload, project)
  const position = await importNextSet(ctx, content, choice, upload.position ?? beginImport(content))
  if (position.from < content.items.length) {
    await updateUpload(ctx, upload, { position: json(position) })
    return enqueueImport(ctx, upload, position.from)
  }
  await endUpload(ctx, upload, { state: 'done', position: json(position) })
  recordImported(ctx, choice, position)
  const problems = position.problems.length + position.more
  return notifyEnded(ctx, upload, { project, state: 'done', created: position.created, problems })
}

async function notifyEnded(
  ctx: WriteContext,
  { owner_id: userId, id, filename: file }: UploadRow,
  ended: Omit<EndedImport, 'userId' | 'id' | 'file'>,
): Promise<void> {
  for (const follow of ctx.all(importEnded)) await follow(ctx, { userId, id, file, ...ended })
}

/** Enqueues the next set of an import. */
export function enqueueImport(
  ctx: WriteContext,
  { owner_id: user, id }: Pick<UploadRow, 'owner_id' | 'id'>,
  from: number,
): Promise<void> {
  // The key includes the position: a late, still queued run must not replace that of the next set.
  return ctx.enqueue(runImport, { user, id, from }, { key: `${id} ${from}` })
}

/** Milliseconds until another instance takes over. A run beside a slow one waits for its lock and then does nothing. */
const STALLED_MS = 20_000
/** Milliseconds until a stalled import fails. */
const FAILED_MS = HOUR_MS

/** Resumes imports whose process was killed, and deletes expired files. */
export const sweep = defineJob({
  name: 'transfer.sweep',
  schedule: '* * * * *',
  // The process that ran them may be the one that starts again.
  atStart: { all: true },
  payload: Type.Object({ all: Type.Optional(Type.Boolean()) }),
  async run(ctx, { all = false }) {
    // At a start the service itself may have been down for an hour.
    if (!all)
      await failStalled(ctx, FAILED_MS, {
        code: 'internal',
        message: 'The import could not go on for an hour.',
        hint: 'Start it again: it continues where it stopped. The server log has details.',
      })
    for (const upload of await findStalled(ctx, all ? 0 : STALLED_MS))
      await enqueueImport(ctx, upload, upload.position?.from ?? 0)
    await deleteExpired(ctx)
  },
})
