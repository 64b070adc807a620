import { defineConfig, Type } from 'tasuki/plugin'

const limit = (value: number, maximum: number, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum, description })

/** Limits of projects and of sharing. */
export const settings = defineConfig(
  'projects',
  Type.Object({
    projects_per_user: limit(1000, 100_000, 'The most projects of a user, archived ones and the Inbox included.'),
    invitation_days: limit(14, 365, 'Days after which an invitation to a project expires.'),
    declined_days: limit(90, 3650, 'Days in which somebody whose invitation was declined cannot invite that person.'),
    invitations_per_day: limit(20, 10_000, 'The most invitations of an owner within 24 hours.'),
    pending_invitations: limit(20, 100, 'The most invitations that a person is shown; further ones do not reach them.'),
    pending_from_one: limit(5, 100, 'The most of these that are from one owner.'),
    members_per_project: limit(50, 1000, 'The most members of a project, invited ones included.'),
    memberships: limit(50, 1000, 'The most projects of others that a user is a member of.'),
  }),
)

export const DAY_MS = 86_400_000
