import { defineJob, Type } from 'tasuki/plugin'
import { deleteEnded } from './invitation.repository.ts'

/** Deletes invitations that have ended. */
export const sweep = defineJob({
  name: 'projects.sweep',
  schedule: '41 16 * * *',
  payload: Type.Object({}),
  run: deleteEnded,
})
