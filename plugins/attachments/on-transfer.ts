import { exportParts, listSection } from '../transfer/points.ts'
import { filesOfItem } from './attachment.repository.ts'

declare module '../transfer/points.ts' {
  interface ImportedParts {
    /** Metadata of files; their bytes are not in an export. */
    readonly attachments: readonly { readonly filename: string; readonly mime_type: string; readonly size: number }[]
  }
}

export const exportAttachments = exportParts({
  of: 'attachments',
  sql: () => filesOfItem,
  markdown: listSection<'attachments'>('Files', ({ filename, size }) => `${filename} (${size} bytes)`),
})
