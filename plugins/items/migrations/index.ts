export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_former_keys': () => import('./0002_former_keys.ts'),
  '0003_due_time': () => import('./0003_due_time.ts'),
}
