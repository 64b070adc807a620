import { defineEntity, p, type TablesOf } from 'tasuki/entities'

const ProjectSchema = defineEntity({
  name: 'Project',
  schema: 'projects',
  tableName: 'projects',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    key: p.text(),
    name: p.text(),
    description: p.text().nullable(),
    isInbox: p.boolean().default(false),
    estimateUnit: p.enum(['none', 'points', 'hours'] as const).default('points'),
    /** Feature switches that differ from the owner's. */
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`),
    archivedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [{ name: 'projects_key_unique', properties: ['ownerId', 'key'] }],
})
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project)

const MemberSchema = defineEntity({
  name: 'ProjectMember',
  schema: 'projects',
  tableName: 'members',
  properties: {
    project: () =>
      p
        .manyToOne(Project)
        .primary()
        .joinColumns('owner_id', 'project_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    userId: p.uuid().primary().index(),
    role: p.enum(['editor', 'viewer'] as const),
    createdAt: p.datetime(),
  },
})

const SettingsSchema = defineEntity({
  name: 'OwnerSettings',
  schema: 'projects',
  tableName: 'settings',
  properties: {
    ownerId: p.uuid().primary(),
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`),
  },
})

export const entities = [ProjectSchema, MemberSchema, SettingsSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'projects', typeof entities> {}
}
