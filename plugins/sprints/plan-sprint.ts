import { promptSteps, quoteName, quoteValue, type Prompt } from 'tasuki/plugin'

/** Guides a model in filling a sprint from the backlog. */
export const planSprint: Prompt = {
  name: 'plan_sprint',
  title: 'Plan a sprint',
  description: 'Chooses items of the backlog for a sprint, within its capacity.',
  arguments: [
    { name: 'project', description: 'Project key.', required: true },
    { name: 'sprint', description: 'Name or path; left out, the next planned sprint.' },
  ],
  tools: ['sprints_list', 'tasks_list', 'sprints_add_item'],
  async get(_ctx, { project = '', sprint }, has) {
    return promptSteps(
      `Help me to plan ${sprint ? `the sprint ${quoteName(sprint)}` : 'the next sprint'} of the project ${quoteValue(project)}.`,
      [
        {
          text: `Read the sprints: sprints_list with project_key=${quoteValue(project)}. Note goal, dates and capacity, and the velocity of the last closed ones.`,
        },
        {
          tools: ['sprints_create'],
          text: 'If the sprint does not exist, ask me for name and dates, then sprints_create.',
        },
        {
          text: `Read the backlog: tasks_list with project_key=${quoteValue(project)}, q="is:open sprint:none", sort=priority, include_agile=true and limit=50.`,
        },
        { tools: ['agile_estimate_suggest'], text: 'For items without an estimate use agile_estimate_suggest.' },
        {
          text: 'Propose what fits goal and capacity, most important first, with references, estimates and their sum. Change nothing before I agree.',
        },
        has('items_bulk_patch')
          ? { text: 'Then add all of it by one items_bulk_patch with the sprint; sprints_add_item for a single item.' }
          : { text: 'Then add each item with sprints_add_item.' },
        {
          tools: ['sprints_update'],
          text: 'Ask me whether the sprint begins now; if so, sprints_update with status=active.',
        },
      ],
      has,
    )
  },
}
