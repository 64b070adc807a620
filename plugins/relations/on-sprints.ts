import { sprintSplits } from '../sprints/points.ts'
import { linkItems } from './link.ts'

/** What goes on with an unfinished item is linked to it. */
export const linkContinuations = sprintSplits(async (ctx, splits) => {
  const links = splits.map(({ original, continuation: { id, number, after } }) => ({
    source: { ...original, ...after, id, number },
    target: original,
  }))
  await linkItems(ctx, links, 'generated_from')
})
