export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_no_empty_vectors': () => import('./0002_no_empty_vectors.ts'),
  '0003_analyzer': () => import('./0003_analyzer.ts'),
  '0004_word_ends': () => import('./0004_word_ends.ts'),
}
