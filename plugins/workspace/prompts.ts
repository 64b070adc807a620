import { promptSteps, quoteName, quoteValue, type Prompt } from 'tasuki/plugin'

/** Restricts a filter query to the project and label of a prompt. */
function narrowQuery(query: string, { project, label }: Readonly<Record<string, string>>): string {
  // quoteName turns a quotation mark into an apostrophe, but the query itself is quoted with apostrophes.
  const quote = (name: string): string => quoteName(name.replaceAll('"', ''))
  const parts = [query, ...(project ? [`project:${quote(project)}`] : []), ...(label ? [`label:${quote(label)}`] : [])]
  return parts.join(' ')
}

/** Reviews the past week and plans the next one. */
export const weeklyReview: Prompt = {
  name: 'weekly_review',
  title: 'Weekly review',
  description: 'What was done in the last seven days, what is late, what comes next.',
  arguments: [
    { name: 'project', description: 'Project key; left out, all projects.' },
    { name: 'label', description: 'Only items with this label.' },
  ],
  tools: ['tasks_list'],
  async get(_ctx, args, has) {
    const listing = (query: string, more = ''): string =>
      `tasks_list with q='${narrowQuery(query, args)}'${more} and limit=50`
    const { project } = args
    return promptSteps(
      `Help me with my weekly review${project ? ` of the project ${quoteValue(project)}` : ''}.`,
      [
        { tools: ['me_overview'], text: 'Begin with me_overview.' },
        { text: `What was done: ${listing('completed:>=-7d')}.` },
        { text: `What is late: ${listing('is:overdue')}.` },
        { text: `What comes next: ${listing('is:open due:today..+7d')}.` },
        { text: `What lies still: ${listing('is:open activity:<-30d', ', sort=updated, order=asc')}.` },
        { tools: ['sprints_list'], text: 'State of the active sprints: sprints_list.' },
        {
          text: 'Sum up in at most ten lines: done, late, next, stuck. Then ask me about each late item: new date, done, or dropped.',
        },
        { tools: ['items_patch'], text: 'Write what I decide with items_patch.' },
        { tools: ['items_complete'], text: 'Close what is done with items_complete.' },
      ],
      has,
    )
  },
}

/** Summarizes what matters today. */
export const dailyBrief: Prompt = {
  name: 'daily_brief',
  title: 'Daily brief',
  description: 'What is due today, what is late, what changed.',
  tools: ['me_overview'],
  async get(_ctx, _args, has) {
    return promptSteps(
      'Brief me on my day.',
      [
        { text: 'Read me_overview.' },
        {
          tools: ['tasks_list'],
          text: `Due today or late: tasks_list with q='is:open due:<=today', sort=priority and limit=30.`,
        },
        { tools: ['events_list'], text: 'Appointments of today: events_list.' },
        { tools: ['notifications_list'], text: 'What is new for me: notifications_list.' },
        { text: 'Tell me in at most eight lines what to do first and why, with references such as APP#12.' },
      ],
      has,
    )
  },
}
