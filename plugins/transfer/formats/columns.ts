import { nameKey, quoteName, ToolError } from 'tasuki/worker'
import type { ImportedItem, ReadOptions } from '../points.ts'
import { headerOf } from './table.ts'

/** Normalized column names by field. */
export type Columns = Readonly<Partial<Record<Field, readonly string[]>>>
export type Field =
  | Exclude<keyof ImportedItem, 'line' | 'parts' | 'closed'>
  | 'labels'
  | 'comments'
  | 'estimate'
  | 'id'
  | 'parentId'
  | 'links'
  | 'area'
  | 'sprint'
  | 'version'

/** Usual column names in any table, in English and Japanese. */
export const GENERIC = {
  key: ['key', 'id', 'ref', 'issuekey', 'issue key', 'task id', 'キー', '課題キー'],
  title: ['title', 'summary', 'subject', 'name', 'task', 'task name', '件名', 'タイトル', '題名'],
  detail: ['detail', 'description', 'body', 'notes', '詳細', '説明', '本文', '内容'],
  status: ['status', 'state', '状態', 'ステータス'],
  priority: ['priority', '優先度'],
  kind: ['kind', 'type', '種別', '種類'],
  dueDate: ['due_date', 'due date', 'due', '期限', '期限日'],
  dueTime: ['due_time', 'due time'],
  startDate: ['start_date', 'start date', 'start', '開始日'],
  createdAt: ['created_at', 'created at', 'created', '作成日', '登録日'],
  completedAt: ['completed_at', 'completed at', 'completed', 'resolved', '完了日'],
  parent: ['parent', 'parent key', 'parent task', '親課題'],
  author: ['author', 'reporter', 'creator', '登録者'],
  assignee: ['assignee', '担当者'],
  labels: ['labels', 'label', 'tags', 'tag', 'ラベル', 'カテゴリー'],
  comments: ['comment', 'comments', 'コメント'],
  estimate: ['estimate', 'storypoint', 'story points', 'points', '見積もり'],
  area: ['area', '領域'],
  sprint: ['sprint', 'スプリント'],
  version: ['version', 'milestone', 'バージョン', 'マイルストーン'],
} as const satisfies Columns
/** Short names of fields for users. */
const ALIASES: Readonly<Record<string, string>> = {
  due: 'dueDate',
  start: 'startDate',
  body: 'detail',
  description: 'detail',
  state: 'status',
  type: 'kind',
  created: 'createdAt',
  completed: 'completedAt',
  number: 'key',
}

/** All fields to which columns can be mapped. */
export const FIELDS: readonly string[] = Object.keys(GENERIC)

/** Merges the columns of a format with the user's mapping. @throws ToolError for a column that the file does not have */
export function columnsFor(columns: Columns, text: string, { columns: chosen }: ReadOptions): Columns {
  if (!chosen || chosen.size === 0) return columns
  const header = new Set(headerOf(text))
  const all: Record<string, readonly string[] | undefined> = { ...columns }
  for (const [field, head] of chosen) {
    const name = ALIASES[field] ?? field
    if (!FIELDS.includes(name))
      throw new ToolError('invalid_argument', `There is no field ${quoteName(field)} to take a column for.`, {
        field: 'map',
        allowed: FIELDS,
        hint: 'Give pairs such as "title=Summary,due=Due".',
      })
    if (!header.has(nameKey(head)))
      throw new ToolError('invalid_argument', `The file has no column ${quoteName(head)}.`, {
        field: 'map',
        allowed: [...header],
        hint: 'Give the name of a column as its head has it.',
      })
    all[name] = [nameKey(head)]
  }
  return all
}
