import { defineTexts, type Language } from '../language.ts'

/** What of a notification its words are made of. */
export interface News {
  readonly kind: string
  readonly title: string
  readonly body?: string
  readonly item_ref?: string
  readonly item_title?: string
  readonly data?: Readonly<Record<string, unknown>>
}

interface Words {
  readonly title: string
  readonly body?: string | undefined
}

interface ClosedSprint {
  readonly project_key: string
  readonly sprint: string
  readonly done: number
  readonly items: number
  readonly velocity: number
  readonly unit: string
  readonly next_sprint?: string
}

const texts = defineTexts(
  {
    mention: (item: string) => `You were mentioned on ${item}`,
    template: (item: string) => `No task was made from ${item}`,
    sprint: ({ project_key: key, sprint }: ClosedSprint) => `${key}: sprint ${sprint} closed`,
    velocity: ({ done, items, velocity }: ClosedSprint, unit: string, started: string) =>
      `${done} of ${items} items done, velocity ${velocity} ${unit}.${started}`,
    started: (sprint: string) => ` ${sprint} started.`,
    units: { points: 'points', hours: 'hours', items: 'items' },
  },
  {
    ja: {
      mention: item => `${item} でメンションされました`,
      template: item => `${item} からタスクを作成できませんでした`,
      sprint: ({ project_key: key, sprint }) => `${key}: スプリント ${sprint} が終了しました`,
      velocity: ({ done, items, velocity }, unit, started) =>
        `${items} 件中 ${done} 件が完了、ベロシティ ${velocity} ${unit}。${started}`,
      started: sprint => `${sprint} が始まりました。`,
      units: { points: 'ポイント', hours: '時間', items: '件' },
    },
  },
)

/**
 * A notification in the language of the person: it was written when it happened, in English. Kinds that other plugins add stay as they
 * are, and so do those whose item is gone.
 */
export function newsWords(language: Language, { kind, title, body, ...news }: News): Words {
  const t = texts(language)
  const item = news.item_ref === undefined ? null : `${news.item_ref} ${news.item_title ?? ''}`
  if (kind === 'discussion.mention' && item !== null) return { title: t.mention(item), body }
  if (kind === 'template.failed' && item !== null) return { title: t.template(item), body }
  const closed = news.data as ClosedSprint | undefined
  // Older ones lack the figures.
  if (kind !== 'sprint.closed' || closed?.velocity === undefined) return { title, body }
  const units: Readonly<Record<string, string>> = t.units
  const started = closed.next_sprint === undefined ? '' : t.started(closed.next_sprint)
  return { title: t.sprint(closed), body: t.velocity(closed, units[closed.unit] ?? closed.unit, started) }
}
