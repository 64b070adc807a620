import { ToolError } from 'tasuki/plugin'
import { dayIn } from '../../items/index.ts'
import {
  addressOf,
  definePage,
  descriptionList,
  html,
  formatDay,
  formatInstant,
  itemLink,
  joinSentences,
  cacheFeaturesOff,
  table,
  tableOr,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { bareKey, readKey } from '../../projects/index.ts'
import { requireSprint } from '../sprint.repository.ts'
import { readClosings } from '../closing.repository.ts'
import { readItemsOf } from '../sprint-item.repository.ts'
import type { Outcome } from '../outcome.ts'
import { sprintForecasts, type SprintForecast } from '../points.ts'
import type { SprintItem } from '../sprint.ts'
import { SPRINT, SPRINTS } from './address.ts'
import { burndownOf, type Burndown } from './burndown.ts'
import { burndownChart } from './chart.ts'
import { datesText } from './dates.ts'
import { sprintTexts } from './texts.ts'

/** Number of closed sprints that a forecast uses. */
const MAX_CLOSED = 6
type Forecast = Awaited<ReturnType<SprintForecast>>

/** A sprint with its burndown and, with forecasts on, its likely end. */
export const sprintPage = definePage({
  path: SPRINT,
  load: ({ params, request, services, now, read }) =>
    read(async ctx => {
      const { project, sprint } = await requireSprint(ctx, params['sprint']!)
      cacheFeaturesOff(ctx, request, project)
      // A sprint page exists only within its own project.
      if (readKey(params['key']!).key !== bareKey(project))
        throw new ToolError('not_found', 'There is no such sprint here.')
      const { timeZone } = sprint
      const closed = sprint.status === 'closed'
      const closings = await readClosings(ctx, project, closed ? 1 : MAX_CLOSED, closed ? sprint : undefined)
      const closing = closed ? (closings[0] ?? null) : null
      const items = closing ? [] : await readItemsOf(ctx, sprint)
      const sized = closing
        ? closing.items.map(({ points, completed_at: at }) => ({ points: points ?? null, completedAt: at ?? null }))
        : items
      const dayOf = (at: string): string => dayIn(timeZone, new Date(at))
      const until = closing ? dayOf(closing.closedAt) : dayIn(timeZone, now)
      const [forecast] = closed ? [] : services.all(sprintForecasts)
      return {
        project,
        sprint,
        items,
        outcomes: closing?.items ?? null,
        burndown: burndownOf(project, sprint, sized, { until, dayOf }),
        forecast: forecast ? await forecast(ctx, project, sprint, { closings, items }) : null,
      }
    }),
  title: (_visit, { sprint }) => sprint.path,
  view(visit, { project, sprint, items, outcomes, burndown, forecast }) {
    const t = sprintTexts(visit.language)
    const { path, status, goal, capacity, startDate: from, endDate: to } = sprint
    return html`<p class="quiet"><a href="${addressOf(SPRINTS, visit.params)}">${t.title}</a></p>
      <h1>${path} <span class="tag ${status === 'active' ? 'good' : ''}">${t.statuses[status]}</span></h1>
      ${descriptionList([
        [t.goal, goal],
        [t.days, datesText(visit, from, to)],
        [t.capacity, capacity],
      ])}
      <h2>${t.burndown}</h2>
      ${burndown && burndown.days.length > 0 ? burndownView(visit, burndown, { forecast, closed: status === 'closed' }) : html`<p class="quiet">${t.noBurndown}</p>`}
      ${forecast && forecastView(visit, forecast)}
      <h2>${outcomes ? t.closedItems : t.items}</h2>
      ${outcomes ? outcomeTable(visit, outcomes) : itemTable(visit, project.key, items)}`
  },
})

function burndownView(
  visit: UserVisit,
  burndown: Burndown,
  { forecast, closed }: { readonly forecast: Forecast | null; readonly closed: boolean },
): Html {
  const t = sprintTexts(visit.language)
  const units: Readonly<Record<string, string>> = t.units
  const unit = units[burndown.unit] ?? burndown.unit
  const fan = forecast && { p50: forecast.p50, p80: forecast.date, p95: forecast.p95 }
  const description = (closed ? t.closedText : t.burndownText)(burndown.days.at(-1)!.left, unit, burndown.scope)
  return html`<p>${description}</p>
    ${burndownChart(burndown, fan, { title: t.burndown, description, day: day => formatDay(visit, day) })}
    <p class="quiet">${joinSentences(visit.language, t.legend, fan?.p50 && t.fanLegend)}</p>
    <details>
      <summary>${t.asTable}</summary>
      <div>
        ${table(t.burndown, burndown.days, [
          { title: t.day, cell: ({ day }) => formatDay(visit, day) },
          { title: t.left, cell: ({ left }) => `${left} ${unit}` },
        ])}
      </div>
    </details>`
}

function forecastView(visit: UserVisit, { date, p50, p95, confidence, reason }: Forecast): Html {
  const t = sprintTexts(visit.language)
  const share = new Intl.NumberFormat(visit.language, { style: 'percent' })
  return html`<h2>${t.forecast}</h2>
    ${
      reason !== null && p50 === null
        ? html`<p class="quiet">${t.unknown}</p>`
        : descriptionList([
            [t.p50, p50 && formatDay(visit, p50)],
            [t.p80, date && formatDay(visit, date)],
            [t.p95, p95 && formatDay(visit, p95)],
            [t.confidence, confidence === null ? null : share.format(confidence)],
          ])
    }`
}

function itemTable(visit: UserVisit, key: string, items: readonly SprintItem[]): Html {
  const t = sprintTexts(visit.language)
  return tableOr(t.noItems, t.items, items, [
    {
      title: t.item,
      cell: ({ number, title }) => {
        const ref = `${key}#${number}`
        return html`${itemLink(visit, { ref, title })} <code>${ref}</code>`
      },
    },
    { title: t.estimate, cell: ({ points }) => points },
    { title: t.completed, cell: ({ completedAt }) => completedAt !== null && formatInstant(visit, completedAt) },
  ])
}

function outcomeTable(visit: UserVisit, outcomes: readonly Outcome[]): Html {
  const t = sprintTexts(visit.language)
  return tableOr(t.noItems, t.closedItems, outcomes, [
    {
      title: t.item,
      cell: ({ item_ref: ref, title }) => html`${itemLink(visit, { ref, title })} <code>${ref}</code>`,
    },
    { title: t.estimate, cell: ({ points }) => points },
    { title: t.outcome, cell: ({ outcome }) => t.outcomes[outcome] },
  ])
}
