import { belongsTo, defineTable, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'

const ProjectSchema = defineTable('projects.projects', {
  properties: {
    ...ownedKey,
    key: p.text(),
    name: p.text(),
    description: p.text().nullable(),
    isInbox: p.boolean().default(false),
    estimateUnit: p.enum(['none', 'points', 'hours'] as const).default('points'),
    /** Feature switches that differ from the owner's. */
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`),
    archivedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'projects_key_unique', properties: ['ownerId', 'key'] }],
})
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project)

/** The key of a record that belongs to a project, and the project. */
export const recordOfProject = { ...ownedKey, project: () => belongsTo(Project, 'project_id') }

const MemberSchema = defineTable('projects.members', {
  properties: {
    ownerId: p.uuid().primary(),
    project: () => belongsTo(Project, 'project_id').primary(),
    userId: p.uuid().primary().index(),
    role: p.enum(['editor', 'viewer'] as const),
    createdAt: p.datetime(),
  },
})

const SettingsSchema = defineTable('projects.settings', {
  properties: {
    ownerId: p.uuid().primary(),
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`),
  },
})

/** An offer of membership to an address, whether or not it has an account. */
const InvitationSchema = defineTable('projects.invitations', {
  properties: {
    ...ownedKey,
    project: () => belongsTo(Project, 'project_id'),
    /** Lower case. */
    email: p.text().index(),
    role: p.enum(['editor', 'viewer'] as const),
    /** False for one too many, or of an owner whom the person declined: it waits in vain, and the owner is not told. */
    shown: p.boolean(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** The owner still sees it as pending. */
    declinedAt: p.datetime().nullable(),
    /** Kept for a day, because it counts towards the owner's limit. */
    withdrawnAt: p.datetime().nullable(),
  },
})

/** Whose invitations do not reach a user any more. */
const DeclinedInviterSchema = defineTable('projects.declined_inviters', {
  properties: {
    /** Who declined. */
    ownerId: p.uuid().primary(),
    inviterId: p.uuid().primary(),
    until: p.datetime(),
  },
})

export const entities = [ProjectSchema, MemberSchema, SettingsSchema, InvitationSchema, DeclinedInviterSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'projects', typeof entities> {}
}
