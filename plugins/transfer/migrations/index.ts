export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_uploads': () => import('./0002_uploads.ts'),
}
