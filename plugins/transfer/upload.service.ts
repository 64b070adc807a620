import { nameKey, ToolError, type ReadContext } from 'tasuki/plugin'
import { checkRole, readProjects, type ProjectRow } from '../projects/index.ts'
import { contentOf, parseContent, type Content, type ContentChoice } from './content.ts'
import type { ImportChoice } from './import.ts'
import { readBytes, type UploadRow } from './upload.repository.ts'

/** Returns the content of an upload of the caller. @throws ToolError if the upload was deleted, or cannot be read */
export function contentOfUpload(
  ctx: ReadContext,
  upload: Pick<UploadRow, 'id' | 'size' | 'filename'>,
  { format, columns }: ContentChoice,
): Promise<Content> {
  return contentOf([upload.id, format, JSON.stringify([...columns])].join('\n'), async () => {
    const bytes = await readBytes(ctx, upload)
    if (!bytes)
      throw new ToolError('not_found', 'The file is not kept any more.', { field: 'file', hint: 'Upload it again.' })
    return parseContent(ctx, { name: upload.filename, bytes }, { format, columns })
  })
}

/** Returns how to read an upload. */
export const choiceOfUpload = ({ format, columns }: Pick<UploadRow, 'format' | 'columns'>): ContentChoice => ({
  format,
  columns: new Map(Object.entries(columns)),
})

/** Returns the options for importing an upload. */
export const importOf = (
  { filename, format, states }: Pick<UploadRow, 'filename' | 'format' | 'states'>,
  project: ProjectRow,
): ImportChoice => ({
  project,
  format,
  from: filename,
  states: new Map(Object.entries(states).map(([from, to]) => [nameKey(from), to])),
})

/** Finds the target project of an upload, if the caller may change it. @throws ToolError not_found, forbidden */
export async function requireTarget(
  ctx: ReadContext,
  { project_owner_id: ownerId, project_id: id }: Pick<UploadRow, 'project_owner_id' | 'project_id'>,
): Promise<ProjectRow> {
  const project = (await readProjects(ctx)).find(each => each.ownerId === ownerId && each.id === id)
  if (!project)
    throw new ToolError('not_found', 'The project was deleted or is no longer shared with you.', {
      field: 'project',
      hint: 'Upload the file again, and choose another project.',
    })
  checkRole(ctx, project, { write: true })
  return project
}
