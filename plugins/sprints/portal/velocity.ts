import { html, table, type Html, type Visit } from '../../portal/index.ts'
import type { SprintClosing } from '../closing.repository.ts'
import { velocityChart } from './chart.ts'
import { sprintTexts } from './texts.ts'

/** Renders the velocity of closed sprints as a chart and a table. @param closings latest first */
export function velocityView({ language }: Visit, closings: readonly SprintClosing[]): Html {
  const t = sprintTexts(language)
  const units: Readonly<Record<string, string>> = t.units
  const { unit } = closings[0]!
  // Bars of different units cannot be compared.
  const past = closings
    .filter(closing => closing.unit === unit)
    .map(({ sprint, velocity }) => ({ name: sprint.name, path: sprint.path, velocity }))
    .toReversed()
  const description = t.velocityText(units[unit] ?? unit)
  return html`<h2>${t.velocity}</h2>
    <p class="quiet">${description}</p>
    ${velocityChart(past, { title: t.velocity, description, day: day => day })}
    <details>
      <summary>${t.asTable}</summary>
      <div>
        ${table(t.velocity, past, [
          { title: t.sprint, cell: ({ path }) => path },
          { title: t.velocity, cell: ({ velocity }) => `${velocity} ${units[unit] ?? unit}` },
        ])}
      </div>
    </details>`
}
