import { belongsTo, defineTable, named, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'

export const Project = defineTable('projects.projects', {
  properties: {
    ...ownedKey,
    key: p.text(),
    name: p.text(),
    description: p.text().nullable(),
    isInbox: p.boolean().default(false),
    estimateUnit: p.enum(['none', 'points', 'hours'] as const).default('points'),
    /** Features that differ from the owner's. */
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`),
    archivedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'projects_key_unique', properties: ['ownerId', 'key'] }],
})

/** The key of a record that belongs to a project, with the relation to the project. */
export const recordOfProject = { ...ownedKey, project: () => belongsTo(Project, 'project_id') }

/** Columns of a record of a project that has a unique name, and times. */
export const namedOfProject = { ...recordOfProject, ...named, ...timestamps }

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
  properties: { ownerId: p.uuid().primary(), features: p.json<Record<string, boolean>>().defaultRaw(`'{}'::jsonb`) },
})

/** An offer of membership to an email address, whether or not it has an account. */
const InvitationSchema = defineTable('projects.invitations', {
  properties: {
    ...ownedKey,
    project: () => belongsTo(Project, 'project_id'),
    /** The address of the invited person, lower case. */
    email: p.text().index(),
    /** The address that the owner entered, if the person has changed it since. */
    invitedAs: p.text().nullable(),
    role: p.enum(['editor', 'viewer'] as const),
    /** False if the person has too many invitations or declined this owner: it is never shown, and the owner does not learn this. */
    shown: p.boolean(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** The owner still sees a declined invitation as pending. */
    declinedAt: p.datetime().nullable(),
    /** A withdrawn invitation is kept for a day, because it counts towards the owner's limit. */
    withdrawnAt: p.datetime().nullable(),
  },
})

/** Owners whose invitations are hidden from a user. */
const DeclinedInviterSchema = defineTable('projects.declined_inviters', {
  properties: {
    /** The user who declined. */
    ownerId: p.uuid().primary(),
    inviterId: p.uuid().primary(),
    until: p.datetime(),
  },
})

export const entities = [Project, MemberSchema, SettingsSchema, InvitationSchema, DeclinedInviterSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'projects', typeof entities> {}
}
