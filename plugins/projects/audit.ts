import { defineAuditAction, type AuditAction, type WriteContext } from 'tasuki/plugin'

const define = (name: string, en: string, ja: string) => defineAuditAction({ name, title: { en, ja } })

/** What of the changes of settings the audit trail tells, by their kind; work itself has its history. */
const ACTIONS: Readonly<Record<string, AuditAction>> = {
  'project.created': define('project.created', 'Project created', 'プロジェクトを作成'),
  'project.changed': define('project.changed', 'Project changed', 'プロジェクトを変更'),
  'features.changed': define('features.changed', 'Features changed', '機能の設定を変更'),
  'project.member.changed': define('member.changed', 'Member changed', 'メンバーを変更'),
}
export const auditActions = Object.values(ACTIONS)

interface SettingChange {
  readonly ownerId: string
  readonly kind: string
  readonly from: object | null
  readonly to: object | null
}

/** Adds a change of settings to the audit trail. */
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
    // A member reads it too: of the project's owner it tells as of who did it.
    userId: typeof member === 'string' && member !== ctx.actor.userId ? member : change.ownerId,
    target: { kind: 'project', id: String(id), name: String(name) },
    details,
  })
}
