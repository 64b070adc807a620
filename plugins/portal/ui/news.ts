import type { NotificationRow } from '../../workspace/index.ts'
import type { Language } from '../language.ts'

type Notification = NotificationRow['notification']
type Words = Pick<Notification, 'title' | 'body'>

/** What sprints tell with the news that one was closed. */
interface ClosedSprint {
  readonly project_key: string
  readonly sprint: string
  readonly done: number
  readonly items: number
  readonly velocity: number
  readonly unit: string
  readonly next_sprint?: string
}

interface NewsTexts {
  readonly mention: (item: string) => string
  readonly template: (item: string) => string
  readonly closed: (news: ClosedSprint) => Words
}

const units: Readonly<Record<string, string>> = { points: 'ポイント', hours: '時間', items: '件' }

/** Who tells something writes it in English; these are the other languages. */
const texts: Readonly<Record<Exclude<Language, 'en'>, NewsTexts>> = {
  ja: {
    mention: item => `${item} でメンションされました`,
    template: item => `${item} からタスクを作成できませんでした`,
    closed: ({ project_key: key, sprint, done, items, velocity, unit, next_sprint: next }) => ({
      title: `${key}: スプリント ${sprint} が終了しました`,
      body: `${items} 件中 ${done} 件が完了、ベロシティ ${velocity} ${units[unit] ?? unit}。${next === undefined ? '' : `${next} が始まりました。`}`,
    }),
  },
}

/** A notification in the language of the person. Kinds that other plugins add stay as they are, and so do those whose item is gone. */
export function newsWords(language: Language, { kind, title, body, ...news }: Notification): Words {
  const told: Words = { title, ...(body !== undefined && { body }) }
  if (language === 'en') return told
  const t = texts[language]
  const item = news.item_ref === undefined ? null : `${news.item_ref} ${news.item_title ?? ''}`
  if (kind === 'discussion.mention' && item !== null) return { ...told, title: t.mention(item) }
  if (kind === 'template.failed' && item !== null) return { ...told, title: t.template(item) }
  // Older ones lack the figures.
  if (kind === 'sprint.closed' && news.data && 'velocity' in news.data) return t.closed(news.data as ClosedSprint)
  return told
}
