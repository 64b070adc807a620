import { choice, defineConfig, httpAddress, Type } from 'tasuki/plugin'

/** Settings of search. */
export const searchConfig = defineConfig(
  'search',
  Type.Object({
    provider: Type.String({
      default: 'built-in',
      description:
        'Provider of semantic search: built-in (synonyms; no model, download or key), ollama:<model>, openai:<model> (any server with the OpenAI embeddings API), local:<folder> (a model in ONNX format, run in this process), the name of a provider that a plugin adds, or none.',
    }),
    url: Type.Optional(
      httpAddress(
        'Base address of the server, for example http://localhost:8080/v1; default: that of Ollama on this machine, or of OpenAI.',
      ),
    ),
    model: Type.Optional(Type.String({ description: 'Name of the embedding model, where provider does not name it.' })),
    dims: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 4000,
        description: 'Dimensions of a vector of the model; default: what the server gives.',
      }),
    ),
    key_env: Type.Optional(
      Type.String({ description: 'Name of the environment variable that holds the key of the server.' }),
    ),
    query_prefix: Type.String({ default: '', description: 'Prefix of search texts, for models that need one.' }),
    text_prefix: Type.String({ default: '', description: 'Prefix of indexed texts, for models that need one.' }),
    batch: Type.Integer({ default: 64, minimum: 1, maximum: 512, description: 'Texts per request.' }),
    text_max: Type.Integer({
      default: 6000,
      minimum: 100,
      description: 'Characters of an item that get a vector; the rest is found only by words.',
    }),
    timeout_ms: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 3_600_000,
      description: 'Longest request to the model server, in milliseconds.',
    }),
    vectors: choice(['auto', 'exact'], {
      default: 'auto',
      description: 'auto: pgvector if the database has it; exact: never.',
    }),
  }),
)
