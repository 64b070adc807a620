import { defineTool, ToolError } from 'tasuki/plugin'
import { formatRef, itemRef, lockItems, readCreated, writtenOutput } from '../../items/index.ts'
import { generate, isOpen } from '../generate.ts'
import { lockTemplate } from '../schedule.ts'
import { updateLastItem } from '../template.repository.ts'

export const templatesRun = defineTool({
  name: 'templates_run',
  class: 'W',
  title: 'Run task template',
  summary: 'Makes a task from a template now, whatever its schedule. Returns the task.',
  rank: 810,
  input: { template_ref: itemRef('Template.') },
  output: writtenOutput,
  async run(ctx, { template_ref: ref }) {
    const { template, schedule } = await lockTemplate(ctx, ref)
    if (template.archivedAt !== null || template.project.archived) {
      const what = template.archivedAt === null ? `Project ${template.project.key}` : `The template ${ref}`
      throw new ToolError('invalid_argument', `${what} is archived.`, {
        field: 'template_ref',
        hint: 'Unarchive it first.',
      })
    }
    const { ownerId } = template
    const before = schedule.lastItemId === null ? [] : [{ ownerId, id: schedule.lastItemId }]
    const [previous = null] = (await lockItems(ctx, before)).values()
    const [task] = await generate(ctx, [{ schedule, template, previous, occurrence: null, skipped: schedule.skipped }])
    await updateLastItem(ctx, template, task!.id)
    if (isOpen(previous)) {
      const name = formatRef(previous)
      task!.warnings.push(
        schedule.strategy === 'supersede_previous'
          ? `The previous task ${name} was closed.`
          : `The previous task ${name} is still open.`,
      )
    }
    const { title, detail, dueDate: due_date, priority } = task!.after
    return readCreated(ctx, task!, { title, detail, due_date, priority })
  },
})
