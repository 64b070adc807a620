import { noticeWithWarnings } from '../../portal/index.ts'

/** Returns the notice of a form with the warnings of a tool of items. */
export const noticeWith = noticeWithWarnings({
  '{ref} has no due date now, so its reminders before it is due wait until it has one.':
    '{ref} の期限がなくなったため、期限前のリマインダーは期限が決まるまで通知されません。',
  '{ref} is archived: listings show it only with is:archived.':
    '{ref} はアーカイブ済みのため、一覧には is:archived でのみ表示されます。',
  '{ref} is done without {fields}, which the project requires.':
    '{ref} は、プロジェクトの必須項目 {fields} が空のまま完了しました。',
  'start_date {start} is after due_date {due}; change one of them if that is not meant.': {
    en: 'The start, {start}, is after the due date, {due}.',
    ja: '開始日（{start}）が期限（{due}）より後になっています。',
  },
})
