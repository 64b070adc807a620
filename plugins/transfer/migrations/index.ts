export const migrations = { '0001_init': () => import('./0001_init.ts') }
