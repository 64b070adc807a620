import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { modelServer } from './embedding/model-server.ts'
import { searchRebuild } from './commands.ts'
import { searchConfig } from './config.ts'
import { local } from './embedding/local.ts'
import { ollama, openai } from './embedding/openai.ts'
import { providerOf } from './embedding/provider.ts'
import { catchUp, embedJob, pruneVectorsJob, pruneWordsJob, rebuildJob, upgradeJob } from './jobs.ts'
import { migrations } from './migrations/index.ts'
import { indexAhead, indexUpcoming } from './pre-index.ts'
import { followItems } from './on-items.ts'
import { modelSettings } from './on-workspace.ts'
import { embeddingProviders, points } from './points.ts'
import { indexedTexts } from './service-figures.repository.ts'
import { query } from './tools/query.ts'
import { wordsOfItems } from './word-filter.repository.ts'

export type {} from './entities.ts'
export {
  embeddingProviders,
  searchKinds,
  vectorTables,
  type EmbeddingProvider,
  type EmbeddingSource,
  type EmbeddingUse,
  type KindRequest,
  type SearchKind,
  type VectorTable,
} from './points.ts'
export { findTexts } from './ranking/ranking.repository.ts'
export { rankTexts, type RankedTexts, type Ranking } from './ranking/full-text.repository.ts'
export { ANALYZER } from './text/analyzer.ts'
export { renderBeginning, markerFor, type Marker } from './text/snippet.ts'
export { tokens, type Token } from './text/tokens.ts'
export { indexText, textVector } from './text/vector.ts'
export { makeVectors, type WrittenVector } from './vector-tables.ts'
export type { Word } from './text/words.ts'

export const plugin = definePlugin({
  name: 'search',
  compatibleFrom: '0.1.0',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal', 'workspace'],
  points,
  config: searchConfig,
  entities: () => import('./entities.ts'),
  migrations,
  notExported: ['search.documents', 'search.vectors', 'search.words'],
  jobs: [rebuildJob, embedJob, upgradeJob, pruneWordsJob, pruneVectorsJob],
  commands: [searchRebuild],
  tools: [query],
  contributes: [
    lazyContributions(['portal'], () => import('./on-portal.ts')),
    indexAhead,
    indexUpcoming,
    followItems,
    wordsOfItems,
    embeddingProviders(ollama),
    embeddingProviders(openai),
    embeddingProviders(local),
    modelServer,
    indexedTexts,
    modelSettings,
  ],
  // An invalid setting aborts the boot instead of the first search.
  check: boot => void providerOf(boot),
  onEnabled: catchUp,
})
