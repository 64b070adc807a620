import { ERROR_CODES, quoteNameJa, type ErrorCode } from 'tasuki/plugin'
import { errorSentence, html, type Child, type Language } from '../../portal/index.ts'
import { notificationTranslations } from '../../workspace/index.ts'

interface Texts {
  readonly title: (item: string) => string
  /** Texts by error code, where the text of the form does not fit a background job. */
  readonly failures: Readonly<Partial<Record<ErrorCode, string>>>
  readonly again: string
}

const texts: Readonly<Record<Exclude<Language, 'en'>, Texts>> = {
  ja: {
    title: item => `${item} からタスクを作成できませんでした`,
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
  },
}

/** Translation of the notification about a failed template. */
export const failureTranslation = notificationTranslations({
  kind: 'template.failed',
  translate: (language, { item_ref: ref, item_title: title, data, body }) =>
    ref === undefined
      ? undefined
      : {
          title: texts[language].title(`${ref}${title === undefined ? '' : ` ${quoteNameJa(title)}`}`),
          body: failureText(language, data, body),
        },
})

/** Older notifications lack the code. The server's message is kept as a detail unless the text covers it. */
function failureText(language: Exclude<Language, 'en'>, data: object | undefined, reason: string | undefined): Child {
  const t = texts[language]
  const code = data && 'code' in data ? ERROR_CODES.find(each => each === data.code) : undefined
  const sentence = code === undefined ? '' : (t.failures[code] ?? errorSentence(language, code))
  const detail = code !== 'internal' && reason !== undefined && html` <small class="detail" lang="en">${reason}</small>`
  return html`${sentence}${t.again}${detail}`
}
