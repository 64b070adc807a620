import { callTool } from 'tasuki/plugin'
import { addressOf, definePage, html, readSubject, tableOr } from '../../portal/index.ts'
import { featureOn } from '../../projects/index.ts'
import { readClosings } from '../closing.repository.ts'
import { sprintsList } from '../tools/sprints_list.ts'
import { SPRINT, SPRINTS } from './address.ts'
import { datesText } from './dates.ts'
import { sprintTexts } from './texts.ts'
import { velocityView } from './velocity.ts'

/** Maximum number of closed sprints in the chart. */
const MAX_CLOSED = 10

/** The sprints of a project, and the velocity of the last ones. */
export const sprintsPage = definePage({
  path: SPRINTS,
  name: language => sprintTexts(language).title,
  menu: { place: 'project', rank: 20, feature: 'sprints' },
  load: visit =>
    visit.read(async ctx => {
      const { project } = await readSubject(ctx, visit)
      const { sprints } = await callTool(sprintsList, ctx, { project_key: visit.params['key']! })
      return {
        project,
        sprints,
        closings: featureOn(ctx, 'sprints', project) ? await readClosings(ctx, project, MAX_CLOSED) : [],
      }
    }),
  title: ({ language }, { project }) => `${sprintTexts(language).title} – ${project.name}`,
  view(visit, { sprints, closings }) {
    const t = sprintTexts(visit.language)
    return html`<h1>${t.title}</h1>
      ${tableOr(t.none, t.title, sprints, [
        {
          title: t.sprint,
          cell: ({ id, path }) => html`<a href="${addressOf(SPRINT, { ...visit.params, sprint: id })}">${path}</a>`,
        },
        {
          title: t.status,
          cell: ({ status }) =>
            html`<span class="tag ${status === 'active' ? 'good' : ''}">${t.statuses[status]}</span>`,
        },
        { title: t.days, cell: ({ start_date: from, end_date: to }) => datesText(visit, from ?? null, to ?? null) },
        { title: t.done, cell: ({ done_count: done, item_count: all }) => t.of(done, all) },
      ])}
      ${closings.length > 0 && velocityView(visit, closings)}`
  },
})
