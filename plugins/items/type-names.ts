import type { Language } from '../portal/index.ts'

const names: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: { task: 'Task', note: 'Note', event: 'Event', task_template: 'Template' },
  ja: { task: 'タスク', note: 'ノート', event: '予定', task_template: 'テンプレート' },
}

/** Names a type of items for people. */
export function typeName(language: Language, type: string): string {
  return names[language][type] ?? type
}
