import { defineJob, definePlugin, lazyContributions, userCreated } from 'tasuki/plugin'
import { accessClaim } from './access.ts'
import { auditActions } from './audit.ts'
import { onUsers } from './on-users.ts'
import { projectCreate, projectList } from './commands.ts'
import { memberCommands } from './member-commands.ts'
import { featureGuard } from './features.ts'
import { notifyInvited } from './members.ts'
import { migrations } from './migrations/index.ts'
import { points } from './points.ts'
import { projectValues } from './suggest-keys.ts'
import { findUsersWithoutInbox, insertInboxes } from './project.repository.ts'
import { settings } from './settings.ts'
import { deleteEnded } from './invitation.repository.ts'

export type {} from './entities.ts'
export { defineListCommand, ownerOption, projectArgument } from './commands.ts'
export { access, keyFor, keyIsOwn, roleIn, type Access, type MemberRole, type Role } from './access.ts'
export { featureColumn, ownerFeature, whereFeature } from './feature.repository.ts'
export { featureDisabled, FEATURES, featureOn, mayHaveFeature, requireFeature, type Feature } from './features.ts'
export { checkRole, pickProject, readWithProject, requireProject, requireProjectOf } from './find.ts'
export type { ProjectDemand } from './find.ts'
export { bareKey, INBOX, projectKey, readKey } from './key.ts'
export { isOpen, readInvitations, readPending } from './invitation.repository.ts'
export { readMembers, readOthers, type Member, type Reader } from './member.repository.ts'
export { acceptInvitation, setMember } from './members.ts'
export { keyIs, projectColumns, readProjects, type ListedProject, type ProjectRow } from './project.repository.ts'
export { invited, settingChanges, type SettingChange } from './points.ts'
export {
  isOfVisibleOwner,
  isOwnedBy,
  keyColumn,
  perCaller,
  refColumn,
  seesAll,
  storedKeyFor,
  visible,
} from './visibility.repository.ts'
export { recordSettingChange, type SettingChangeRecord } from './setting-change.ts'
export { cleanName, createProject, setFeatures, updateProject } from './write.ts'

export const plugin = definePlugin({
  name: 'projects',
  group: 'workspace',
  optionalDependsOn: ['portal'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  compatibleFrom: '0.1.0',
  // Their owner must not learn whether an invitation was declined, is hidden, or has moved to another address.
  notExported: ['projects.invitations'],
  points,
  auditActions,
  claims: [accessClaim],
  commands: [projectCreate, projectList, ...memberCommands],
  jobs: [defineJob({ name: 'projects.sweep', schedule: '41 16 * * *', run: deleteEnded })],
  contributes: [
    userCreated(insertInboxes),
    userCreated((ctx, users) => {
      const emails = users.map(({ email }) => email)
      return notifyInvited(ctx, emails)
    }),
    ...onUsers,
    featureGuard,
    projectValues,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  async onEnabled(ctx) {
    await insertInboxes(ctx, await findUsersWithoutInbox(ctx))
  },
})
