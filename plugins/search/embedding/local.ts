import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineThread, HostError, MINUTE_MS } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import type { EmbeddingSource } from '../points.ts'
import { embedTask, type EmbedTask } from './local-worker.ts'

/** Runs models from files; the operator installs it, since it is larger than the service. */
const RUNTIME = '@huggingface/transformers'
const NOT_INSTALLED = { en: `${RUNTIME} is not installed`, ja: `${RUNTIME} がインストールされていません` }
const installIn = (folder: string): string => `npm install --prefix ${dirname(folder)} ${RUNTIME}@4`
/** Texts per task: a search waits for at most one task, and memory stays bounded. */
const BATCH_SIZE = 8
/** Milliseconds until an idle thread ends and frees the memory of the model. */
const IDLE_MS = 10 * MINUTE_MS

/** Model files in a local folder, run by a worker thread. Nothing is downloaded. */
export const local: EmbeddingSource = {
  name: 'local',
  open(ctx, modelName) {
    const { model = modelName, dims: set, timeout_ms: timeout, ...rest } = ctx.config(searchConfig)
    if (model === undefined)
      throw new HostError('config of plugin search: provider local needs a folder; "local:<folder>" names it')
    const files = filesOf(model)
    const prefixes = { query: rest.query_prefix, text: rest.text_prefix }
    let dims = set ?? null
    return {
      name: 'local',
      get dims() {
        return dims
      },
      get model() {
        const name = `${basename(files.folder)}/${files.dtype}`
        return `${name}${dims === null ? '' : `/${dims}`}${prefixes.text === '' ? '' : `/${prefixes.text}`}`
      },
      mend: `the runtime is installed by: ${installIn(files.folder)}; the folder needs a model in ONNX format`,
      problem: () => (findRuntime(files.folder) === null ? NOT_INSTALLED : null),
      async embed(texts, { of, signal }) {
        const runtime = findRuntime(files.folder)
        if (runtime === null) throw new HostError(NOT_INSTALLED.en)
        const pool = await startThread()
        // A search may be aborted, but the thread continues, since other callers wait for the model.
        const givenUp = of === 'query' ? AbortSignal.any([signal, AbortSignal.timeout(timeout)]) : signal
        const vectors: number[][] = []
        for (let from = 0; from < texts.length; from += BATCH_SIZE) {
          const part = texts.slice(from, from + BATCH_SIZE).map(text => prefixes[of] + text)
          const task: EmbedTask = { runtime, ...files, texts: part }
          vectors.push(...(await unlessAborted(givenUp, () => pool.run(task, { name: embedTask.name }))))
        }
        dims ??= vectors[0]?.length ?? null
        return vectors
      },
    }
  },
}

/** @throws HostError if there is no model */
function filesOf(model: string): Pick<EmbedTask, 'folder' | 'dtype'> {
  const folder = resolve(model)
  const has = (file: string): boolean => existsSync(join(folder, file))
  const missing = ['config.json', 'tokenizer.json'].filter(file => !has(file))
  const quantized = has('onnx/model_quantized.onnx')
  if (!quantized && !has('onnx/model.onnx')) missing.push('onnx/model.onnx or onnx/model_quantized.onnx')
  if (missing.length > 0)
    throw new HostError(
      `config of plugin search: ${folder} has no ${missing.join(', no ')}; provider local takes the folder of a sentence embedding model in ONNX format`,
    )
  return { folder, dtype: quantized ? 'q8' : 'fp32' }
}

/** Finds the runtime next to the service or next to the model; null if it is not installed. */
function findRuntime(folder: string): string | null {
  for (const from of [import.meta.filename, folder]) {
    try {
      return pathToFileURL(createRequire(from).resolve(RUNTIME)).href
    } catch {
      // Tries the next location.
    }
  }
  return null
}

const startThread = defineThread(import.meta.url, './local-worker', { idleMs: IDLE_MS })

async function unlessAborted<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([start(), promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
