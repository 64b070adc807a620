import { defineConfig, Type } from 'tasuki/plugin'

const limit = (value: number, maximum: number, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum, description })

/** Limits of projects and of sharing. */
export const settings = defineConfig(
  'projects',
  Type.Object({
    projects_per_user: limit(
      1000,
      100_000,
      'Maximum number of projects of a user, including archived ones and the Inbox.',
    ),
    invitation_days: limit(14, 365, 'Days after which an invitation to a project expires.'),
    declined_days: limit(90, 3650, 'Days for which an owner cannot invite a person again who declined.'),
    invitations_per_day: limit(20, 10_000, 'Maximum number of invitations of an owner within 24 hours.'),
    pending_invitations: limit(
      20,
      100,
      'Maximum number of open invitations of a person; further ones are not delivered.',
    ),
    pending_from_one: limit(5, 100, 'Maximum number of these from one owner.'),
    members_per_project: limit(50, 1000, 'Maximum number of members of a project, including invited ones.'),
    memberships: limit(50, 1000, "Maximum number of other users' projects that a user is a member of."),
  }),
)
