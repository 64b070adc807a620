import type { Language } from '../portal/index.ts'

/** States of the workflow that every owner starts with, in other languages than theirs. */
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

/** The name of a state in the language of the person; names that people gave stay. */
export function stateName(language: Language, name: string): string {
  return language !== 'en' && Object.hasOwn(names[language], name) ? names[language][name]! : name
}
