import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A task for the worker thread. */
export interface EmbedTask {
  /** URL of the runtime's module. */
  readonly runtime: string
  /** Absolute path of the model folder. */
  readonly folder: string
  /** The file in `onnx`: `q8` = model_quantized.onnx, `fp32` = model.onnx. */
  readonly dtype: 'q8' | 'fp32'
  readonly texts: readonly string[]
}

/** The part of `@huggingface/transformers` that is used. */
interface Runtime {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>
}
type Pooling = 'mean' | 'cls' | 'last_token'
type Extractor = (
  texts: readonly string[],
  options: { readonly pooling: Pooling; readonly normalize: boolean },
) => Promise<{ tolist(): number[][] }>

let loaded: { readonly folder: string; readonly extractor: Promise<Extractor> } | undefined

/** Embeds texts; the vectors are in the order of the texts. The model is loaded once per thread. */
export async function embedTask({ texts, ...model }: EmbedTask): Promise<number[][]> {
  if (loaded?.folder !== model.folder) loaded = { folder: model.folder, extractor: load(model) }
  const extractor = await loaded.extractor
  return (await extractor(texts, { pooling: poolingOf(model.folder), normalize: true })).tolist()
}

async function load({ runtime, folder, dtype }: Omit<EmbedTask, 'texts'>): Promise<Extractor> {
  const { env, pipeline } = (await import(runtime)) as Runtime
  env.allowRemoteModels = false
  env.localModelPath = dirname(folder)
  // One CPU: the service needs the others.
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 }
  return pipeline('feature-extraction', basename(folder), { dtype, device: 'cpu', session_options })
}

/** Reads how token vectors are pooled, from the file that sentence-transformers stores with a model. */
function poolingOf(folder: string): Pooling {
  const file = join(folder, '1_Pooling', 'config.json')
  if (!existsSync(file)) return 'mean'
  const config = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  if (config['pooling_mode_cls_token'] === true) return 'cls'
  return config['pooling_mode_lasttoken'] === true ? 'last_token' : 'mean'
}
