import { definePlugin, lazyContributions, sql, userCreated } from 'tasuki/plugin'
import { accessClaim } from './access.ts'
import { projectCreate, projectList } from './commands.ts'
import { featureGuard } from './features.ts'
import { migrations } from './migrations/index.ts'
import { points } from './points.ts'
import { projectValues } from './suggest-keys.ts'
import { welcome } from './write.ts'

export {
  access,
  keyColumn,
  keyFor,
  keyIsOwn,
  keyKeptFor,
  ofSeenOwner,
  roleIn,
  visible,
  type Access,
  type Role,
} from './access.ts'
export {
  featureColumn,
  featureDisabled,
  FEATURES,
  featureOn,
  mayHaveFeature,
  ownerFeature,
  requireFeature,
  whereFeature,
  type Feature,
} from './features.ts'
export {
  bareKey,
  checkRole,
  INBOX,
  keyIs,
  oneProject,
  projectColumns,
  projectKey,
  readKey,
  readProjects,
  requireProject,
  requireProjectOf,
  type ListedProject,
  type ProjectDemand,
  type ProjectRow,
} from './find.ts'
export { readMembers, type Member } from './members.ts'
export { settingChanges, recordSettingChange, type SettingChange, type SettingChangeRecord } from './points.ts'
export { createProject, KEY_PATTERN, setFeatures, setMember, updateProject } from './write.ts'

export const plugin = definePlugin({
  name: 'projects',
  version: '0.1.0',
  api: 1,
  group: 'workspace',
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  claims: [accessClaim],
  commands: [projectCreate, projectList],
  contributes: [
    userCreated(welcome),
    featureGuard,
    projectValues,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  async onEnabled(ctx) {
    const { rows } = await sql<{ id: string }>`
      select u.id from core.users u where not exists (select from projects.projects p where p.owner_id = u.id and p.is_inbox)
    `.execute(ctx.db)
    await welcome(ctx, rows)
  },
})
