export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_vectors': () => import('./0002_vectors.ts'),
  '0003_cheaper_messages': () => import('./0003_cheaper_messages.ts'),
  '0004_no_empty_vectors': () => import('./0004_no_empty_vectors.ts'),
  '0005_analyzer': () => import('./0005_analyzer.ts'),
}
