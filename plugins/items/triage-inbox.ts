import { promptSteps, quoteValue, type Prompt } from 'tasuki/plugin'
import { INBOX } from '../projects/index.ts'

/** Guides a model through the items of the Inbox. */
export const triageInbox: Prompt = {
  name: 'triage_inbox',
  title: 'Triage the Inbox',
  description: 'Goes through the Inbox: what each item is, when it is due, where it belongs.',
  arguments: [{ name: 'project', description: 'Key of the project that most of it belongs to.' }],
  tools: ['tasks_list', 'items_patch', 'items_complete'],
  async get(_ctx, { project }, has) {
    const mostly = project ? ` Most of it belongs to the project ${quoteValue(project)}.` : ''
    return promptSteps(
      `Help me to empty my Inbox.${mostly}`,
      [
        { text: `Read it: tasks_list with project_key=${INBOX}, status=open and limit=50.` },
        { tools: ['projects_list'], text: 'Read my projects: projects_list.' },
        {
          text: 'For each item propose what to do, in one table: a clearer title, priority, due date, project; or done, or not worth doing. Change nothing before I agree.',
        },
        { text: 'Then write what I agreed to: items_patch for one item, items_complete for what is done.' },
        { tools: ['items_bulk_patch'], text: 'Where several items get the same value, use one items_bulk_patch.' },
        has('items_move_project')
          ? { text: 'Move items to their projects with items_move_project.' }
          : { text: 'Items are moved to another project in the portal: list those for me, by project.' },
      ],
      has,
    )
  },
}
