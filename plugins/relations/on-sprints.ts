import { sprintSplits } from '../sprints/points.ts'
import { linkItems } from './link.ts'

/** Links the continuation of an unfinished item to the original. */
export const linkContinuations = sprintSplits(async (ctx, splits) => {
  const links = splits.map(({ original, continuation: { id, number, after } }) => ({
    source: { ...original, ...after, id, number },
    target: original,
  }))
  await linkItems(ctx, links, 'generated_from')
})
