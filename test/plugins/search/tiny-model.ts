import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Words of the model; words of one row have the same vector. */
const MEANINGS = [
  ['dog', 'puppy', '犬'],
  ['car', 'automobile', '車'],
  ['water', 'plants', '水'],
  ['invoice', 'bill', '請求'],
]
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
/** Dimensions of a vector. */
export const TINY_DIMS = MEANINGS.length

/** Writes a model that looks up a vector per word, in the format of sentence-transformers. @param folder created by the function */
export function writeTinyModel(folder: string): void {
  const words = [...SPECIAL, ...MEANINGS.flat()]
  const vectors = words.map(word => {
    const meaning = MEANINGS.findIndex(row => row.includes(word))
    return Array.from({ length: TINY_DIMS }, (_, n) => (n === meaning ? 1 : 0))
  })
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const json = (file: string, value: unknown): void => writeFileSync(join(folder, file), JSON.stringify(value))
  json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: TINY_DIMS })
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 128,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  })
  json('tokenizer.json', {
    version: '1.0',
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(words.map((word, n) => [word, n])),
    },
  })
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnxModel(vectors))
}

/** Builds an ONNX model with one node, which gathers the vectors of tokens. */
function onnxModel(vectors: readonly (readonly number[])[]): Buffer {
  const table = message(
    integer(1, vectors.length),
    integer(1, TINY_DIMS),
    integer(2, FLOAT),
    text(8, 'vectors'),
    bytes(9, Buffer.from(new Float32Array(vectors.flat()).buffer)),
  )
  const node = message(text(1, 'vectors'), text(1, 'input_ids'), text(2, 'last_hidden_state'), text(4, 'Gather'))
  const graph = message(
    bytes(1, node),
    text(2, 'tiny'),
    bytes(5, table),
    bytes(11, tensor('input_ids', INT64, ['texts', 'tokens'])),
    bytes(11, tensor('attention_mask', INT64, ['texts', 'tokens'])),
    bytes(12, tensor('last_hidden_state', FLOAT, ['texts', 'tokens', TINY_DIMS])),
  )
  return message(integer(1, 8), bytes(7, graph), bytes(8, message(integer(2, 13))))
}

const FLOAT = 1
const INT64 = 7

function tensor(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dims = shape.map(size => bytes(1, message(typeof size === 'number' ? integer(1, size) : text(2, size))))
  return message(text(1, name), bytes(2, message(bytes(1, message(integer(1, type), bytes(2, message(...dims)))))))
}

// Encoders for the protocol buffers wire format.
const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields)
const integer = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)])
const bytes = (field: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(value.length)]), value])
const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value))
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

/** Writes a stand-in for the runtime that gives the same results for this model. @param folder parent of node_modules */
export function writeRuntime(folder: string): void {
  const place = join(folder, 'node_modules', '@huggingface', 'transformers')
  mkdirSync(place, { recursive: true })
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name: '@huggingface/transformers', version: '4.0.0', main: 'index.cjs' }),
  )
  writeFileSync(join(place, 'index.cjs'), RUNTIME)
}

const RUNTIME = `
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const env = (exports.env = { allowRemoteModels: true, localModelPath: '' })
exports.pipeline = async (_task, model) => {
  if (env.allowRemoteModels) throw new Error('it would download')
  const { vocab } = JSON.parse(readFileSync(join(env.localModelPath, model, 'tokenizer.json'), 'utf8')).model
  const vectorOf = text => {
    const vector = Array(${TINY_DIMS}).fill(0)
    for (const word of text.toLowerCase().split(/\\s+/)) {
      const place = (vocab[word] ?? 0) - ${SPECIAL.length}
      if (place >= 0) vector[Math.floor(place / 3)]++
    }
    return vector
  }
  return async texts => ({ tolist: () => texts.map(vectorOf) })
}
`
