import { scaleBand, scaleLinear } from 'd3-scale'
import { area, curveStepAfter, line } from 'd3-shape'
import { clip } from 'tasuki/plugin'
import { html, type Html } from '../../portal/index.ts'
import { dateOfDay, dayNumber } from '../calendar.ts'
import type { Burndown } from './burndown.ts'

const WIDTH = 640
const HEIGHT = 280
const EDGE = { top: 12, right: 16, bottom: 28, left: 44 }
const PLOT = { right: WIDTH - EDGE.right, bottom: HEIGHT - EDGE.bottom }

/** Days by which the remaining work is done in 50 %, 80 % and 95 % of the runs; null = not within a year. */
export interface Fan {
  readonly p50: string | null
  readonly p80: string | null
  readonly p95: string | null
}

export interface ChartWords {
  readonly title: string
  readonly description: string
  /** Formats a day in short form. */
  day(day: string): string
}

/** Draws the remaining work by day, the ideal line to the planned end and, if known, the fan of likely ends. */
export function burndownChart(burndown: Burndown, fan: Fan | null, words: ChartWords): Html {
  const { scope, from, end, days } = burndown
  const first = dayNumber(from)
  const last = Math.max(
    first + 1,
    ...[end, days.at(-1)?.day, fan?.p95 ?? fan?.p80 ?? fan?.p50].flatMap(day => (day ? [dayNumber(day)] : [])),
  )
  const x = scaleLinear([first, last], [EDGE.left, PLOT.right])
  const y = scaleLinear([0, scope], [PLOT.bottom, EDGE.top]).nice(5)
  const at = (day: string): number => x(dayNumber(day))
  const left = line<Burndown['days'][number]>(
    ({ day }) => at(day),
    ({ left: rest }) => y(rest),
  ).curve(curveStepAfter)
  const now = days.at(-1)
  return frame('burndown', words, [
    grid(y),
    x
      .ticks(6)
      .filter(Number.isInteger)
      .map(
        tick => html`<text x="${x(tick)}" y="${HEIGHT - 8}" text-anchor="middle">${words.day(dateOfDay(tick))}</text>`,
      ),
    end !== null &&
      html`<path class="ideal" d="M${at(from)},${y(scope)}L${at(end)},${y(0)}" /><line
          class="end"
          x1="${at(end)}"
          x2="${at(end)}"
          y1="${EDGE.top}"
          y2="${PLOT.bottom}"
        />`,
    now && fan && fanView(fan, now, { at, y }),
    html`<path class="left" d="${left([...days])}" />`,
  ])
}

/** Draws the area between the ends that 50 % and 95 % of the runs reach. */
function fanView(
  { p50, p95 }: Fan,
  now: Burndown['days'][number],
  { at, y }: { at(day: string): number; y(value: number): number },
): Html | false {
  if (p50 === null || now.left === 0) return false
  const begin = at(now.day)
  const top = y(now.left)
  const edges: [number, number, number][] = [
    [top, begin, begin],
    [y(0), at(p50), p95 === null ? PLOT.right : at(p95)],
  ]
  const shape = area<[number, number, number]>()
    .x0(([, early]) => early)
    .x1(([, , late]) => late)
    .y(([height]) => height)
  return html`<path class="fan" d="${shape(edges)}" /><path class="median" d="M${begin},${top}L${at(p50)},${y(0)}" />`
}

/** Maximum width, so that a single bar does not fill the chart. */
const WIDEST = 72

/** Draws the velocity of closed sprints, earliest first. */
export function velocityChart(
  sprints: readonly { readonly name: string; readonly velocity: number }[],
  words: ChartWords,
): Html {
  const x = scaleBand(
    sprints.map((_sprint, n) => n),
    [EDGE.left, PLOT.right],
  ).padding(0.35)
  const y = scaleLinear([0, Math.max(1, ...sprints.map(({ velocity }) => velocity))], [PLOT.bottom, EDGE.top]).nice(5)
  return frame('velocity', words, [
    grid(y),
    sprints.map(
      ({ name, velocity }, n) =>
        html`<rect
            class="velocity"
            x="${x(n)! + Math.max(0, x.bandwidth() - WIDEST) / 2}"
            width="${Math.min(x.bandwidth(), WIDEST)}"
            y="${y(velocity)}"
            height="${PLOT.bottom - y(velocity)}"
            rx="3"
          />
          <text x="${x(n)! + x.bandwidth() / 2}" y="${HEIGHT - 8}" text-anchor="middle">${clip(name, NAME)}</text>`,
    ),
  ])
}

/** Maximum number of characters in a name below a bar. */
const NAME = 12

function grid(y: { (value: number): number; ticks(count: number): number[] }): Html[] {
  return y
    .ticks(5)
    .map(
      tick =>
        html`<line class="grid" x1="${EDGE.left}" x2="${PLOT.right}" y1="${y(tick)}" y2="${y(tick)}" /><text
            x="${EDGE.left - 8}"
            y="${y(tick) + 4}"
            text-anchor="end"
            >${tick}</text
          >`,
    )
}

function frame(id: string, { title, description }: ChartWords, parts: Parameters<typeof html>[1]): Html {
  return html`<div class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-text">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-text">${description}</desc>
      ${parts}
    </svg>
  </div>`
}
