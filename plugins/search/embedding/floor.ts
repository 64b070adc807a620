import type { EmbeddingProvider } from '../points.ts'
import { embed } from './embed.ts'

/** Ordinary texts on many subjects. */
export const ORDINARY = [
  'Book a table for four on Friday evening',
  'The import stops with an error when a row is empty',
  'Water the plants and take out the bins before the holidays',
  'Compare three offers for the new roof and choose one by May',
  'Users should be able to sort the list by date, newest first',
  'Notes of the meeting: budget, hiring, and the move to the new office',
  'Read chapter four and write down the questions',
  'Send the signed contract to the landlord',
  '金曜日の夜に四人でレストランを予約する',
  '取り込みが空の行でエラーになって止まる',
  '会議のメモ、予算と採用について',
  '新しい靴を買って、古いのを捨てる',
]
/** Meaningless words: any similarity to them is chance. */
export const MEANINGLESS = [
  'blorvex',
  'qandrithum plook',
  'zzkwemba',
  'frinztaggle onderwuk',
  'xvutropp',
  'ghemmolaz yib',
  'wuqqant',
  'trelbishonk fvazz',
  'ぬべぽらずん',
  'ギュモヘッパズ',
  'ゑぽげにゃむ',
  'ヴォニペカッツァ',
]

/** Margin, because chance reaches further among many texts than among these few. */
const FURTHER = 0.2

const known = new WeakMap<EmbeddingProvider, number>()

/**
 * Returns the cosine similarity above which a text is related to a query, measured by the similarity of meaningless words. Models differ
 * widely, so each is measured once per process. A provider may state its own value.
 */
export async function floorOf(provider: EmbeddingProvider, signal: AbortSignal): Promise<number> {
  if (provider.floor !== undefined) return provider.floor
  let floor = known.get(provider)
  if (floor === undefined) {
    const texts = await embed(provider, ORDINARY, { of: 'text', signal })
    const queries = await embed(provider, MEANINGLESS, { of: 'query', signal })
    const cosines = queries.flatMap(query => texts.map(text => (query && text ? cosine(query, text) : 0)))
    const [most, mean] = [Math.max(0, ...cosines), cosines.reduce((sum, each) => sum + each, 0) / cosines.length]
    known.set(provider, (floor = most + (most - mean) * FURTHER))
  }
  return floor
}

/** For vectors of length 1. */
function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, n) => sum + value * b[n]!, 0)
}
