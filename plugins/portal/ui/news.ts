import { ERROR_CODES, type ErrorCode } from 'tasuki/plugin'
import type { NotificationRow } from '../../workspace/index.ts'
import { html, type Child } from '../html.ts'
import type { Language } from '../language.ts'
import { sentenceOf } from './refusals.ts'

type Notification = NotificationRow['notification']
interface Words {
  readonly title: string
  readonly body?: Child
}

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
  /** Why a template failed, where what a form would say does not fit since nobody stands before one. */
  readonly failures: Readonly<Partial<Record<ErrorCode, string>>>
  readonly again: string
  readonly closed: (news: ClosedSprint) => Words
}

const units: Readonly<Record<string, string>> = { points: 'ポイント', hours: '時間', items: '件' }

/** Who tells something writes it in English; these are the other languages. */
const texts: Readonly<Record<Exclude<Language, 'en'>, NewsTexts>> = {
  ja: {
    mention: item => `${item} でメンションされました`,
    template: item => `${item} からタスクを作成できませんでした`,
    failures: {
      invalid_argument: 'テンプレートの値がプロジェクトの設定に合っていません。テンプレートを確認してください。',
      missing_argument: '必要な値がテンプレートにありません。テンプレートを確認してください。',
      not_found: 'テンプレートが使っているものが見つかりません。テンプレートを確認してください。',
      conflict: 'すでにあるものと重なっています。テンプレートを確認してください。',
      stale_write: '同時に別の変更がありました。',
      limit_exceeded: '上限に達しました。不要なものを減らしてください。',
      workflow_mismatch: '必要な状態がワークフローにありません。プロジェクトのワークフローを確認してください。',
      transition_not_allowed:
        '前回のタスクを終了できるように、ワークフローが移動を許していません。ワークフローを確認してください。',
      unavailable: '一時的に作成できませんでした。',
      internal: '詳しい内容はサーバーのログにあります。',
    },
    again: '自動的に再試行されます。',
    closed: ({ project_key: key, sprint, done, items, velocity, unit, next_sprint: next }) => ({
      title: `${key}: スプリント ${sprint} が終了しました`,
      body: `${items} 件中 ${done} 件が完了、ベロシティ ${velocity} ${units[unit] ?? unit}。${next === undefined ? '' : `${next} が始まりました。`}`,
    }),
  },
}

/** A notification in the language of the person. Kinds that other plugins add stay as they are, and so do those whose item is gone. */
export function newsWords(language: Language, { kind, title, body, ...news }: Notification): Words {
  const told: Words = { title, body }
  if (language === 'en') return told
  const t = texts[language]
  const item = news.item_ref === undefined ? null : `${news.item_ref} ${news.item_title ?? ''}`
  if (kind === 'discussion.mention' && item !== null) return { ...told, title: t.mention(item) }
  if (kind === 'template.failed' && item !== null)
    return { title: t.template(item), body: failureText(language, news.data, body) }
  // Older ones lack the figures.
  if (kind === 'sprint.closed' && news.data && 'velocity' in news.data) return t.closed(news.data as ClosedSprint)
  return told
}

/** Older ones lack the code. What the server said stays as the detail, but for what it has no more to say of. */
function failureText(language: Exclude<Language, 'en'>, data: object | undefined, told: string | undefined): Child {
  const t = texts[language]
  const code = data && 'code' in data ? ERROR_CODES.find(each => each === data.code) : undefined
  const sentence = code === undefined ? '' : (t.failures[code] ?? sentenceOf(language, code))
  const detail = code !== 'internal' && told !== undefined && html` <small class="detail" lang="en">${told}</small>`
  return html`${sentence}${t.again}${detail}`
}
