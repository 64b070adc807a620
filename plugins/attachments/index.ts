import { definePlugin, lazyContributions, externalServices } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { exportAttachments } from './on-transfer.ts'
import { onItems } from './on-items.ts'
import { archivedFiles, describeFiles } from './external-data.ts'
import { itemParent } from './parents.ts'
import { points } from './points.ts'
import { routes } from './routes.ts'
import { filesByUser } from './service-figures.repository.ts'
import { settings } from './settings.ts'
import { s3Storage } from './storage/s3.ts'
import { expire, filesOfDeleted, removeFiles, sweep } from './sweep.ts'
import { attachmentsDownload } from './tools/attachments_download.ts'
import { attachmentsGet } from './tools/attachments_get.ts'
import { attachmentsList } from './tools/attachments_list.ts'
import { attachmentsUpload } from './tools/attachments_upload.ts'

export type {} from './entities.ts'
export { deleteFilesOf, fileCount, readAttachments } from './attachment.repository.ts'
export type { AttachmentRecord } from './attachment.ts'
export { attachmentParents, type AttachmentParent, type FoundParent, type ParentInput } from './points.ts'

/** `tasuki doctor` lists one file of the bucket. */
const bucket = externalServices(({ config }) => {
  const { s3 } = config(settings)
  return (
    (s3 && {
      what: `attachments: the bucket ${s3.bucket}`,
      mend: 'check s3 of the plugin attachments, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, that the bucket exists, and the clock of this machine',
      attempt: () => s3Storage(s3).list(null, 1),
    }) ??
    null
  )
})

export const plugin = definePlugin({
  name: 'attachments',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal', 'transfer'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  notExported: ['attachments.attachments.uploader'],
  points,
  jobs: [expire, removeFiles, sweep],
  tools: [attachmentsList, attachmentsUpload, attachmentsGet, attachmentsDownload],
  contributes: [
    exportAttachments,
    itemParent,
    filesOfDeleted,
    bucket,
    filesByUser,
    ...onItems,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  externalData: describeFiles,
  archivedFiles,
  routes,
})
