import { quoteName, quoteNameJa } from 'tasuki/plugin'
/** Languages of the portal, by BCP 47 tag, with their own names. */
export const LANGUAGES = { en: 'English', ja: '日本語' } as const
export type Language = keyof typeof LANGUAGES

/** Texts of one page or part; a text with parameters is a function. */
// oxlint-disable-next-line typescript/no-explicit-any -- the arguments of a text are its own
type Texts = { readonly [name: string]: string | ((...values: any[]) => string) | Texts }

/** Texts that many pages need. */
const COMMON = {
  en: {
    name: 'Name',
    none: 'None yet.',
    email: 'E-mail address',
    badEmail: 'Enter an e-mail address, such as ann@example.com.',
    save: 'Save',
    saved: 'Saved.',
    action: 'Action',
    move: 'Move',
    address: 'Address',
    key: 'Key',
    kind: 'Kind',
    password: 'Password',
    project: 'Project',
    state: 'State',
    setting: 'Setting',
    value: 'Value',
    source: 'Source',
    filter: 'Filter',
    format: 'Format',
    size: 'Size',
    at: 'When',
    cancel: 'Cancel',
    completed: 'Completed',
    day: 'Day',
    description: 'Description',
    done: 'Done',
    estimate: 'Estimate',
    expires: 'Expires',
    outcome: 'Outcome',
    remove: 'Remove',
    rename: 'Rename',
    sprint: 'Sprint',
    task: 'Task',
    time: 'Time',
    version: 'Version',
  },
  ja: {
    name: '名前',
    none: 'まだありません。',
    email: 'メールアドレス',
    badEmail: 'ann@example.com のようなメールアドレスを入力してください。',
    save: '保存',
    saved: '保存しました。',
    action: '操作',
    move: '移動',
    address: 'アドレス',
    key: 'キー',
    kind: '種類',
    password: 'パスワード',
    project: 'プロジェクト',
    state: 'ステータス',
    setting: '設定',
    value: '値',
    source: '設定元',
    filter: '絞り込み',
    format: '形式',
    size: 'サイズ',
    at: '日時',
    cancel: 'キャンセル',
    completed: '完了',
    day: '日付',
    description: '説明',
    done: '完了',
    estimate: '見積もり',
    expires: '有効期限',
    outcome: '結果',
    remove: '削除',
    rename: '名前を変更',
    sprint: 'スプリント',
    task: 'タスク',
    time: '時刻',
    version: 'バージョン',
  },
} as const satisfies Record<Language, Texts>
type Common = Readonly<Record<keyof (typeof COMMON)['en'], string>>

/**
 * Defines texts in every language, in addition to the common ones. English is the reference: a missing or extra text in another language is
 * a type error.
 * @returns the texts of a language
 */
export function defineTexts<T extends Texts>(
  en: T,
  others: Readonly<Record<Exclude<Language, 'en'>, NoInfer<T>>>,
): (language: Language) => Common & T {
  const texts = { en: inherit(COMMON.en, en), ja: inherit(COMMON.ja, others.ja) }
  return language => texts[language]
}

/** Inherited properties are not listed, so that texts that serve as the options of a control have only their own. */
function inherit<T extends Texts>(common: Common, own: T): Common & T {
  return Object.assign(Object.create(common) as Common, own)
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(LANGUAGES, text)
}

/** Returns the best language for an Accept-Language header (RFC 9110 §12.5.4). */
export function negotiateLanguage(header: string | undefined): Language {
  const wanted = (header ?? '').split(',').map(part => {
    const [tag = '', ...parameters] = part.trim().split(';')
    const quality = parameters.map(parameter => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(q => q !== undefined)
    return { language: tag.split('-')[0]!.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
  })
  const best = wanted
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0]
  return (best?.language as Language | undefined) ?? 'en'
}

/** Quotes a user-defined name with the quotation marks of a language. */
export function quoteIn(language: Language, name: string): string {
  return language === 'ja' ? quoteNameJa(name) : quoteName(name)
}
