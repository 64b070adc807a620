import type { Language } from '../portal/index.ts'

/** Translations of the system workflow's states. */
const names: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<string, string>>>> = {
  ja: {
    Backlog: 'バックログ',
    'In progress': '進行中',
    'In review': 'レビュー中',
    Done: '完了',
    Duplicate: '重複',
    "Won't fix": '対応しない',
  },
}

/** Translates the name of a built-in state; other names stay unchanged. */
export function stateName(language: Language, name: string): string {
  return language !== 'en' && Object.hasOwn(names[language], name) ? names[language][name]! : name
}
