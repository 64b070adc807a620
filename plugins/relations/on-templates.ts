import { lockItems } from '../items/index.ts'
import { templateGenerated } from '../templates/points.ts'
import { linkItems } from './link.ts'

/** Links a generated task to the one before it. */
export const linkInstances = templateGenerated(async (ctx, generated) => {
  const pairs = generated.flatMap(({ task, superseded }) => (superseded ? [{ task, superseded }] : []))
  const keys = pairs.map(({ task }) => task)
  const tasks = await lockItems(ctx, keys)
  const links = pairs.map(({ task, superseded }) => ({ source: tasks.get(task.id)!, target: superseded }))
  await linkItems(ctx, links, 'previous_instance')
})
