import { quoteName, quoteNameJa } from 'tasuki/plugin'
/** Languages of the portal, by BCP 47 tag, with their own names. */
export const LANGUAGES = { en: 'English', ja: '日本語' } as const
export type Language = keyof typeof LANGUAGES

/** Texts of one page or part; a text with parameters is a function. */
// oxlint-disable-next-line typescript/no-explicit-any -- the arguments of a text are its own
type Texts = { readonly [name: string]: string | ((...values: any[]) => string) | Texts }

/** Words in every language by their code. */
type Words<K extends string> = Readonly<Record<K, Readonly<Record<Language, string>>>>

/** Texts that many pages need. */
const COMMON = {
  name: { en: 'Name', ja: '名前' },
  none: { en: 'None yet.', ja: 'まだありません。' },
  email: { en: 'E-mail address', ja: 'メールアドレス' },
  badEmail: {
    en: 'Enter an e-mail address, such as ann@example.com.',
    ja: 'ann@example.com のようなメールアドレスを入力してください。',
  },
  save: { en: 'Save', ja: '保存' },
  saved: { en: 'Saved.', ja: '保存しました。' },
  action: { en: 'Action', ja: '操作' },
  move: { en: 'Move', ja: '移動' },
  address: { en: 'Address', ja: 'アドレス' },
  key: { en: 'Key', ja: 'キー' },
  kind: { en: 'Kind', ja: '種類' },
  password: { en: 'Password', ja: 'パスワード' },
  project: { en: 'Project', ja: 'プロジェクト' },
  state: { en: 'State', ja: 'ステータス' },
  setting: { en: 'Setting', ja: '設定' },
  value: { en: 'Value', ja: '値' },
  source: { en: 'Source', ja: '設定元' },
  filter: { en: 'Filter', ja: '絞り込み' },
  goOn: { en: 'Continue', ja: '続ける' },
  file: { en: 'File', ja: 'ファイル' },
  format: { en: 'Format', ja: '形式' },
  guest: { en: 'Only the owner of the project can change this.', ja: '変更できるのはプロジェクトの所有者だけです。' },
  size: { en: 'Size', ja: 'サイズ' },
  at: { en: 'When', ja: '日時' },
  bodyHint: { en: 'Markdown.', ja: 'Markdownで書けます。' },
  cancel: { en: 'Cancel', ja: 'キャンセル' },
  completed: { en: 'Completed', ja: '完了' },
  day: { en: 'Day', ja: '日付' },
  delete: { en: 'Delete', ja: '削除' },
  description: { en: 'Description', ja: '説明' },
  done: { en: 'Done', ja: '完了' },
  edit: { en: 'Edit', ja: '編集' },
  estimate: { en: 'Estimate', ja: '見積もり' },
  expires: { en: 'Expires', ja: '有効期限' },
  outcome: { en: 'Outcome', ja: '結果' },
  overdue: { en: 'Overdue', ja: '期限超過' },
  remove: { en: 'Remove', ja: '削除' },
  rename: { en: 'Rename', ja: '名前を変更' },
  secret: { en: 'Secret', ja: 'シークレット' },
  seen: { en: 'Last seen', ja: '最終利用' },
  sprint: { en: 'Sprint', ja: 'スプリント' },
  task: { en: 'Task', ja: 'タスク' },
  time: { en: 'Time', ja: '時刻' },
  unlink: { en: 'Unlink', ja: '連携を解除' },
  version: { en: 'Version', ja: 'バージョン' },
}
type Common = Readonly<Record<keyof typeof COMMON, string>>

/** Returns words in one language. */
export const wordsIn = <K extends string>(words: Words<K>, language: Language): Readonly<Record<K, string>> =>
  Object.fromEntries(Object.keys(words).map(code => [code, words[code as K][language]])) as Record<K, string>
const common = { en: wordsIn(COMMON, 'en'), ja: wordsIn(COMMON, 'ja') }

/** A text with its translations, of which a missing one is a type error. */
type Translated<T> = { readonly en: T } & { readonly [L in Exclude<Language, 'en'>]: NoInfer<T> }

/** Defines texts in addition to the common ones: a page's by language, long tables with each text beside its translations. */
export function defineTexts<T>(texts: { readonly [K in keyof T]: Translated<T[K]> }): (language: Language) => Common & T
export function defineTexts<T extends Texts>(
  en: T,
  others: Readonly<Record<Exclude<Language, 'en'>, NoInfer<T>>>,
): (language: Language) => Common & T
export function defineTexts(first: Words<string> | Texts, others?: Readonly<Record<Exclude<Language, 'en'>, Texts>>) {
  const own = others
    ? { en: first, ...others }
    : { en: wordsIn(first as Words<string>, 'en'), ja: wordsIn(first as Words<string>, 'ja') }
  const texts = { en: inherit(common.en, own.en), ja: inherit(common.ja, own.ja) }
  return (language: Language) => texts[language]
}

/** Defines words for codes. @returns the word for a code, if there is one */
export function defineWords(words: Words<string>) {
  return (language: Language, code: string): string | undefined =>
    Object.hasOwn(words, code) ? words[code]![language] : undefined
}

/** Defines translations of sentences with `{placeholders}`, also into English for people. @returns null for an unknown sentence in Japanese */
export function defineTranslations(japanese: Readonly<Record<string, string | Words<string>[string]>>) {
  const patterns = Object.entries(japanese).map(([sentence, translation]) => {
    const words = typeof translation === 'string' ? { en: sentence, ja: translation } : translation
    const escaped = sentence.replaceAll(/[().]/g, '\\$&')
    return [new RegExp(`^${escaped.replaceAll(PLACEHOLDER, '(?<$1>.+)')}$`, 's'), words] as const
  })
  return (language: Language, sentence: string): string | null => {
    for (const [pattern, words] of patterns) {
      const values = pattern.exec(sentence)
      if (values) return words[language].replaceAll(PLACEHOLDER, (_, name: string) => values.groups![name]!)
    }
    return language === 'en' ? sentence : null
  }
}
const PLACEHOLDER = /\{(\w+)\}/g

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

/** Joins sentences, with the space that a language puts between them; omits those that are false. */
export function joinSentences(
  language: Language,
  ...sentences: readonly (string | false | null | undefined)[]
): string {
  return sentences.filter(Boolean).join(language === 'ja' ? '' : ' ')
}

/** Quotes a user-defined name with the quotation marks of a language. */
export function quoteIn(language: Language, name: string): string {
  return language === 'ja' ? quoteNameJa(name) : quoteName(name)
}
