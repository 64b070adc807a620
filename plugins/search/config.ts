import { choice, defineConfig, Type } from 'tasuki/plugin'

/** Settings of search. */
export const searchConfig = defineConfig(
  'search',
  Type.Object({
    provider: Type.String({
      default: 'built-in',
      description:
        'Who turns texts into vectors: built-in (nothing to download, no key), openai (any server that speaks its embeddings API), one that a plugin brings, or none.',
    }),
    url: Type.Optional(
      Type.String({ description: 'Of openai: base address, for example http://localhost:11434/v1 for Ollama.' }),
    ),
    model: Type.Optional(Type.String({ description: 'Of openai: name of the embedding model.' })),
    dims: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 4000, description: 'Of openai: numbers in a vector of that model.' }),
    ),
    key_env: Type.Optional(
      Type.String({ description: 'Of openai: name of the environment variable that holds the key.' }),
    ),
    query_prefix: Type.String({ default: '', description: 'Put before what is searched, for models that want it.' }),
    text_prefix: Type.String({ default: '', description: 'Put before the texts, for models that want it.' }),
    batch: Type.Integer({ default: 64, minimum: 1, maximum: 512, description: 'Texts in one request.' }),
    text_max: Type.Integer({
      default: 6000,
      minimum: 100,
      description: 'Characters of an item that are embedded; the rest is found by full text only.',
    }),
    timeout_ms: Type.Integer({ default: 10_000, minimum: 100, description: 'Milliseconds that a request may take.' }),
    vectors: choice(['auto', 'exact'], {
      default: 'auto',
      description: 'auto: pgvector where the database has it; exact: never.',
    }),
  }),
)
