export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_no_empty_vectors': () => import('./0002_no_empty_vectors.ts'),
}
