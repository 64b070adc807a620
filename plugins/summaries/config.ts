import { defineConfig, Type } from 'tasuki/plugin'

/** Settings of summaries. */
export const summariesConfig = defineConfig(
  'summaries',
  Type.Object({
    provider: Type.String({
      default: 'extractive',
      description:
        'Who writes summaries: extractive (picks the sentences that say most; nothing to download, no key), openai (any server that speaks its chat completions API), or one that a plugin brings.',
    }),
    base_url: Type.Optional(
      Type.String({ description: 'Of openai: base address, for example http://localhost:11434/v1 for Ollama.' }),
    ),
    model: Type.Optional(Type.String({ description: 'Of openai: name of the chat model.' })),
    key_env: Type.Optional(
      Type.String({ description: 'Of openai: name of the environment variable that holds the key.' }),
    ),
    timeout_ms: Type.Integer({ default: 60_000, minimum: 100, description: 'Milliseconds that a request may take.' }),
    max_chars: Type.Integer({
      default: 600,
      minimum: 100,
      maximum: 4000,
      description: 'Characters of the longest summary.',
    }),
    delay_seconds: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 3600,
      description: 'Seconds between a change of a discussion and the new summary, so that several changes make one.',
    }),
  }),
)
