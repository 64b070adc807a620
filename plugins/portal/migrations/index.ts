export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_confirmed_at': () => import('./0002_confirmed_at.ts'),
  '0003_second_factor': () => import('./0003_second_factor.ts'),
}
