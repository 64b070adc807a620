import { defineConfig, httpAddress, Type } from 'tasuki/plugin'

/** Settings of summaries. */
export const summariesConfig = defineConfig(
  'summaries',
  Type.Object({
    provider: Type.String({
      default: 'extractive',
      description:
        'Provider of summaries: extractive (selects sentences; no download, no key), openai (any server with the OpenAI chat completions API), or the name of a provider that a plugin adds.',
    }),
    base_url: Type.Optional(httpAddress('For openai: base address, for example http://localhost:11434/v1 for Ollama.')),
    model: Type.Optional(Type.String({ description: 'For openai: name of the chat model.' })),
    key_env: Type.Optional(
      Type.String({ description: 'For openai: name of the environment variable that holds the key.' }),
    ),
    timeout_ms: Type.Integer({
      default: 60_000,
      minimum: 100,
      maximum: 3_600_000,
      description: 'Longest request to the model server, in milliseconds.',
    }),
    max_chars: Type.Integer({
      default: 600,
      minimum: 100,
      maximum: 4000,
      description: 'Longest summary, in characters.',
    }),
    delay_seconds: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 3600,
      description:
        'Seconds between a change of a discussion and the new summary, so that several changes cause one summary.',
    }),
  }),
)
