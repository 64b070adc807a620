import type { ErrorCode, ToolError } from 'tasuki/plugin'
import type { Fields } from '../fields.ts'
import { html, type Child } from '../html.ts'
import { defineTexts, type Language } from '../language.ts'
import { Refusal, type FormDefinition } from '../page.ts'

/**
 * One sentence per error code, and a specific one for a code at a field of portal forms, prefixed with the form's path if the meaning
 * depends on it. English sentences give the next step, since the tool's English message states the problem; other languages give both.
 */
const sentences = defineTexts(
  {
    codes: {
      invalid_argument: 'Correct it and try again.',
      missing_argument: 'Fill it in and try again.',
      unknown_argument: 'Reload the page and try again.',
      invalid_query: 'Correct the filter and try again.',
      not_found: 'Check the name or number; it may have been deleted.',
      ambiguous_ref: 'Choose one and enter its full reference.',
      forbidden: '',
      insufficient_scope: '',
      feature_disabled: 'The owner of the project can switch it on under Features.',
      conflict: 'Choose something else.',
      stale_write: 'Reload the page, check the current content, and try again.',
      cycle: 'Choose another one.',
      limit_exceeded: 'Reduce it, or split it.',
      workflow_mismatch: 'Reload the page and choose again.',
      transition_not_allowed: 'Choose a state that the workflow allows next.',
      frozen: 'The owner of the series can lift the freeze under Settings, Numbering.',
      has_children: 'Move or delete what is in it first.',
      in_use: 'Change what uses it first.',
      not_user_owned: 'Make a copy of the workflow and use that.',
      sprint_closed: 'Choose another sprint.',
      area_archived: 'Choose another area.',
      quota_exceeded: 'Delete files that you no longer need.',
      unsupported_media_type: 'Use another kind of file.',
      confirmation_required: '',
      confirmation_invalid: 'Reload the page and try again.',
      idempotency_conflict: 'Reload the page and try again.',
      rate_limited: 'Wait a little, then try again.',
      unavailable: 'Wait a little, then try again.',
      internal: '',
    },
    fields: {
      'conflict name': 'Choose another name.',
      'invalid_argument project_key': 'Use another project, or take it back from the archive under its settings.',
    },
  } satisfies { readonly codes: Readonly<Record<ErrorCode, string>>; readonly fields: object },
  {
    ja: {
      codes: {
        invalid_argument: 'この値は使えません。修正してもう一度お試しください。',
        missing_argument: '必要な値がありません。入力してもう一度お試しください。',
        unknown_argument: 'この操作では使えない値が含まれています。ページを再読み込みして、もう一度お試しください。',
        invalid_query: '検索式に誤りがあります。キーと値の書き方を確認してください。',
        not_found: '見つかりません。名前や番号を確認してください。その間に削除された可能性もあります。',
        ambiguous_ref: '当てはまるものが複数あります。どれか分かるように指定してください。',
        forbidden: 'この操作をする権限がありません。プロジェクトの所有者に依頼してください。',
        insufficient_scope: 'この操作をする権限がありません。',
        feature_disabled: 'この機能はオフです。プロジェクトの所有者が「機能」の設定でオンにできます。',
        conflict: 'すでにあるものと重なっています。別の値にしてください。',
        stale_write: 'その間に別の変更がありました。ページを再読み込みして今の内容を確認し、もう一度お試しください。',
        cycle: '自分自身、または自分の下にあるものは指定できません。別のものを選んでください。',
        limit_exceeded: '上限を超えています。減らすか、分けてください。',
        workflow_mismatch:
          'このステータスはプロジェクトのワークフローにありません。ページを再読み込みして、選び直してください。',
        transition_not_allowed:
          'このワークフローでは、今のステータスからそのステータスへ移動できません。別のステータスを選んでください。',
        frozen: '系列が凍結されています。系列の所有者が設定の「採番」で解除できます。',
        has_children: '中に残っているものがあります。先に移動するか削除してください。',
        in_use: '使われています。先に、使っているほうを変更してください。',
        not_user_owned: 'このワークフローは変更できません。コピーを作って使ってください。',
        sprint_closed: 'このスプリントは終了しています。別のスプリントを選んでください。',
        area_archived: 'このエリアはアーカイブ済みです。別のエリアを選んでください。',
        quota_exceeded: '容量の上限に達しました。不要なファイルを削除してください。',
        unsupported_media_type: 'この種類のファイルは扱えません。別の形式にしてください。',
        confirmation_required: '確認が必要な操作です。',
        confirmation_invalid: '確認が無効になりました。ページを再読み込みして、もう一度お試しください。',
        idempotency_conflict: '同じ操作が別の内容で行われています。ページを再読み込みして、もう一度お試しください。',
        rate_limited: '操作が多すぎます。少し待ってから、もう一度お試しください。',
        unavailable: '今は実行できません。少し待ってから、もう一度お試しください。',
        internal: '問題が発生しました。',
      },
      fields: {
        'conflict name': '同じ名前がすでにあります。別の名前にしてください。',
        'invalid_argument project_key':
          'このプロジェクトではできません。ほかのプロジェクトを使うか、アーカイブ済みなら設定で元に戻してください。',
      },
    },
  },
)

/** Returns the sentence of an error code. */
export function errorSentence(language: Language, code: ErrorCode): string {
  return sentences(language).codes[code]
}

type AnyForm = Pick<FormDefinition<Fields>, 'path' | 'fields' | 'refusals'>

/** Renders the problem and the next step of a single error; the tool's message is kept as a detail. @param form the rejected form */
export function refusalText(language: Language, { code, message: original, help }: ToolError, form?: AnyForm): Child {
  // Programs read code in backticks and send null; people read quotation marks and leave a field empty.
  const message = original.replaceAll(/`([^`]*)`/g, '“$1”').replace(' or null, got', ', got')
  const { codes, fields } = sentences(language)
  const known: Readonly<Record<string, string>> = { ...fields, ...form?.refusals?.[language] }
  const plain = `${code} ${help.field ?? ''}`
  const key = [`${form?.path} ${plain}`, plain].find(name => Object.hasOwn(known, name))
  const sentence = key === undefined ? codes[code] : known[key]!
  if (language === 'en') return [/[.!?]$/.test(message) ? message : `${message}.`, sentence].filter(Boolean).join(' ')
  return html`${sentence} <small class="detail" lang="en">${message}</small>`
}

/** Converts an error to a refusal of the form, at its field if the form has it. */
export function toFormRefusal(language: Language, error: ToolError, form: AnyForm): Refusal {
  const { fields } = form
  const problems: Record<string, readonly Child[]> = {}
  for (const problem of [error, ...error.others]) {
    const { field = '' } = problem.help
    const name = Object.hasOwn(fields, field) ? field : ''
    const before = problems[name]
    problems[name] = [...(before ? [...before, ' '] : []), refusalText(language, problem, form)]
  }
  return new Refusal(problems)
}
