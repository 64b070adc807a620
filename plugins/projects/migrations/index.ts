export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_invitations': () => import('./0002_invitations.ts'),
  '0003_invited_as': () => import('./0003_invited_as.ts'),
}
