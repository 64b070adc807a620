import { card, defineForm, definePage, fields, html, Refusal, tableOr } from '../../portal/index.ts'
import {
  createSeries,
  FREEZE_LEVELS,
  lockSeries,
  PREFIX_PATTERN,
  SERIES_KEY_PATTERN,
  toSeriesJson,
  updateSeries,
} from '../series.ts'
import { readSeries, type SeriesRow } from '../series.repository.ts'
import { texts } from './series-texts.ts'

const PATH = '/settings/numbering'
const KEY = new RegExp(SERIES_KEY_PATTERN)
const PREFIX = new RegExp(PREFIX_PATTERN)

const createForm = defineForm({
  path: PATH,
  fields: {
    series_key: fields.text({ max: 40 }),
    prefix: fields.text({ max: 16 }),
    name: fields.text({ max: 80, optional: true }),
    start: fields.integer({ min: 1, max: 999_999_999 }),
  },
  refusals: {
    en: {
      'conflict series_key': 'Choose another key and prefix.',
      'limit_exceeded series_key': 'You have as many series as are allowed. Use one of them, or ask the operator.',
    },
    ja: {
      'conflict series_key': '同じキーまたは接頭辞の系列がすでにあります。別のキーと接頭辞にしてください。',
      'limit_exceeded series_key': '系列の数が上限に達しました。既存の系列を使うか、運用者に相談してください。',
    },
  },
  async run({ session, write, language }, { series_key: key, prefix, name, start }) {
    const t = texts(language)
    const problems = {
      ...(!KEY.test(key) && { series_key: t.badKey }),
      ...(!PREFIX.test(prefix) && { prefix: t.badPrefix }),
    }
    if (Object.keys(problems).length > 0) throw new Refusal(problems)
    const created = await write(ctx =>
      createSeries(ctx, session.userId, { key, prefix, name: name || undefined, start }),
    )
    return { to: PATH, notice: t.created(`${created.prefix}-${created.nextNumber}`) }
  },
})

const freezeForm = defineForm({
  path: '/settings/numbering/:series/freeze',
  fields: { level: fields.singleChoice(FREEZE_LEVELS) },
  async run({ session, params, write, language }, { level }) {
    await write(async ctx => {
      const series = await lockSeries(ctx, { ownerId: session.userId, seen: true }, params['series']!)
      return updateSeries(ctx, series, { freezeLevel: level })
    })
    return { to: PATH, notice: texts(language).saved }
  },
})

/** Settings → Numbering. */
export const numberingPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 70 },
  forms: [createForm, freezeForm],
  load: ({ session, read }) => read(ctx => readSeries(ctx, { ownerId: session.userId, seen: true })),
  view(visit, series) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${tableOr(t.none, t.title, series, [
        { title: t.series, cell: ({ name, key }: SeriesRow) => html`${name}<br /><code>${key}</code>` },
        { title: t.next, cell: (row: SeriesRow) => toSeriesJson(row).next_preview },
        {
          title: t.level,
          cell: ({ key, freezeLevel }: SeriesRow) =>
            freezeForm.view(
              visit,
              form =>
                html`${form.select('level', { label: t.level, value: freezeLevel, options: t.levels, unseen: true })}
                ${form.submit(t.set, { kind: 'plain', about: key })}`,
              { params: { series: key }, inline: true },
            ),
        },
      ])}
      ${card(
        t.create,
        createForm.view(
          visit,
          form =>
            html`<div class="columns">
              ${form.input('series_key', { label: t.key, hint: t.keyHint, code: true })}
              ${form.input('prefix', { label: t.prefix, hint: t.prefixHint, code: true })}
              ${form.input('name', { label: t.name, optional: true })}
              ${form.input('start', { label: t.start, type: 'number', value: 1, min: 1 })}
            </div>`,
          { submit: t.create },
        ),
      )}`
  },
})
