import { quoteNameJa } from 'tasuki/plugin'
import { notificationTranslations } from '../../workspace/index.ts'

/** The data of the notification about a closed sprint. */
interface ClosedSprint {
  readonly project_key: string
  readonly sprint: string
  readonly done: number
  readonly items: number
  readonly velocity: number
  readonly unit: string
  readonly next_sprint?: string
}

const units: Readonly<Record<string, string>> = { points: 'ポイント', hours: '時間', items: '件' }

const texts = {
  ja: ({ project_key: key, sprint, done, items, velocity, unit, next_sprint: next }: ClosedSprint) => ({
    title: `${key}: スプリント${quoteNameJa(sprint)}が終了しました`,
    body: `${items} 件中 ${done} 件が完了、ベロシティ ${velocity} ${units[unit] ?? unit}。${next === undefined ? '' : `${quoteNameJa(next)}が始まりました。`}`,
  }),
} as const

/** Translation of the notification about a closed sprint; older ones lack the figures. */
export const closingTranslation = notificationTranslations({
  kind: 'sprint.closed',
  translate: (language, { data }) =>
    data && 'velocity' in data ? texts[language](data as unknown as ClosedSprint) : undefined,
})
