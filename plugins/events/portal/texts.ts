import { defineTexts } from '../../portal/index.ts'

export const calendarTexts = defineTexts({
  title: { en: 'Calendar', ja: 'カレンダー' },
  previous: { en: 'Previous month', ja: '前の月' },
  next: { en: 'Next month', ja: '次の月' },
  today: { en: 'This month', ja: '今月' },
  lead: { en: 'Events, and tasks on the day they are due.', ja: '予定と、期限のあるタスクを表示します。' },
  ahead: { en: 'Events that repeat appear four weeks ahead.', ja: '繰り返しの予定は4週間先まで表示されます。' },
  allDay: { en: 'All day', ja: '終日' },
  none: { en: 'Nothing in this month.', ja: 'この月には何もありません。' },
  more: {
    en: (shown: number) => `Showing the first ${shown} events and the first ${shown} tasks of these weeks.`,
    ja: shown => `この期間の予定とタスクを、それぞれ最初の${shown}件まで表示しています。`,
  },
  add: { en: 'New event', ja: '予定の追加' },
  create: { en: 'Add event', ja: '追加' },
  name: { en: 'Title', ja: 'タイトル' },
  timeHint: { en: 'Without a time, the event lasts all day.', ja: '空欄の場合は終日の予定になります。' },
  repeats: { en: 'Repeats', ja: '繰り返し' },
  repeatsHint: {
    en: 'For example: every second Friday, or FREQ=MONTHLY;BYDAY=1MO',
    ja: '例: 隔週金曜、毎月1日、FREQ=MONTHLY;BYDAY=1MO',
  },
  added: { en: (title: string) => `“${title}” added.`, ja: title => `「${title}」を追加しました。` },
})
