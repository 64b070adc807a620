import { defineJob } from 'tasuki/plugin'
import { deleteEnded } from './invitation.repository.ts'

/** Deletes expired invitations. */
export const sweep = defineJob({ name: 'projects.sweep', schedule: '41 16 * * *', run: deleteEnded })
