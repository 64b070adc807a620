import { defineAuditAction, type AuditAction, type WriteContext } from 'tasuki/plugin'
import { featureTitles } from './feature-names.ts'
import type { SettingChange } from './points.ts'

const words = {
  key: { en: 'Key', ja: 'キー' },
  description: { en: 'Description', ja: '説明' },
  role: { en: 'Role', ja: '役割' },
  'role.editor': { en: 'editor', ja: '編集者' },
  'role.viewer': { en: 'viewer', ja: '閲覧者' },
  archived: { en: 'Archived', ja: 'アーカイブ' },
  estimateUnit: { en: 'Unit of estimates', ja: '見積もりの単位' },
  'estimateUnit.none': { en: 'none', ja: 'なし' },
  'estimateUnit.points': { en: 'points', ja: 'ポイント' },
  'estimateUnit.hours': { en: 'hours', ja: '時間' },
  ...featureTitles,
  invited: { en: 'Invited', ja: '招待' },
}
const define = (name: string, en: string, ja: string) => defineAuditAction({ name, title: { en, ja }, words })

/** Audit actions by kind of setting change; changes of items have their own history. */
const ACTIONS: Readonly<Record<string, AuditAction>> = {
  'project.created': define('project.created', 'Project created', 'プロジェクトを作成'),
  'project.changed': define('project.changed', 'Project changed', 'プロジェクトを変更'),
  'features.changed': define('features.changed', 'Features changed', '機能の設定を変更'),
  'project.member.changed': define('member.changed', 'Member changed', 'メンバーを変更'),
}
export const auditActions = Object.values(ACTIONS)

/** Records a change of settings in the audit trail. */
export function auditSettingChange(ctx: WriteContext, change: SettingChange): void {
  const action = ACTIONS[change.kind]
  if (!action) return
  const {
    user_id: member,
    id,
    name,
    ...details
  } = { ...change.from, ...change.to } as Readonly<Record<string, unknown>>
  ctx.audit({
    action,
    // Entries about a member belong to that member, who may read them; other entries belong to the project's owner.
    userId: typeof member === 'string' && member !== ctx.actor.userId ? member : change.ownerId,
    target: { kind: 'project', id: String(id), name: String(name) },
    details,
  })
}
