import { defineTexts } from '../../portal/index.ts'

export const sprintTexts = defineTexts({
  title: { en: 'Sprints', ja: 'スプリント' },
  none: { en: 'This project has no sprints yet.', ja: 'このプロジェクトにはまだスプリントがありません。' },
  status: { en: 'Status', ja: 'ステータス' },
  statuses: {
    en: { planning: 'Planned', active: 'Active', closed: 'Closed' },
    ja: { planning: '計画中', active: '実行中', closed: '終了' },
  },
  days: { en: 'Dates', ja: '期間' },
  dates: { en: (from: string, to: string) => `${from} to ${to}`, ja: (from, to) => `${from} ～ ${to}` },
  from: { en: (from: string) => `from ${from}`, ja: from => `${from} から` },
  until: { en: (to: string) => `until ${to}`, ja: to => `${to} まで` },
  of: { en: (done: number, all: number) => `${done} of ${all}`, ja: (done, all) => `${all}件中${done}件` },
  units: {
    en: { points: 'points', hours: 'hours', items: 'items' },
    ja: { points: 'ポイント', hours: '時間', items: '件' },
  },
  velocity: { en: 'Velocity', ja: 'ベロシティ' },
  velocityText: {
    en: (unit: string) => `Completed ${unit} of the last closed sprints, oldest first.`,
    ja: unit => `最近終了したスプリントで完了した量（${unit}）を古い順に示します。`,
  },
  goal: { en: 'Goal', ja: 'ゴール' },
  capacity: { en: 'Capacity', ja: 'キャパシティ' },
  burndown: { en: 'Burndown', ja: 'バーンダウン' },
  burndownText: {
    en: (left: number, unit: string, scope: number) => `${left} of ${scope} ${unit} are left.`,
    ja: (left, unit, scope) => `${scope} ${unit}のうち ${left} ${unit}が残っています。`,
  },
  closedText: {
    en: (left: number, unit: string, scope: number) => `${left} of ${scope} ${unit} were not finished.`,
    ja: (left, unit, scope) => `${scope} ${unit}のうち ${left} ${unit}が未完了でした。`,
  },
  legend: {
    en: 'Solid line: remaining work. Dashed line: straight path to the planned end.',
    ja: '実線は残りの量、破線は予定の終了日までの直線です。',
  },
  fanLegend: {
    en: 'The shaded area runs from the 50 % to the 95 % forecast.',
    ja: '塗りつぶした範囲は、50%の予測日から95%の予測日までです。',
  },
  noBurndown: {
    en: 'The chart appears once the sprint has a start date and items.',
    ja: '開始日とタスクが決まるとグラフが表示されます。',
  },
  forecast: { en: 'Forecast', ja: '予測' },
  p50: { en: '50 % likely by', ja: '50%の確率で完了する日' },
  p80: { en: '80 % likely by', ja: '80%の確率で完了する日' },
  p95: { en: '95 % likely by', ja: '95%の確率で完了する日' },
  confidence: { en: 'Chance of finishing by the planned end', ja: '予定日までに完了する確率' },
  unknown: { en: 'Not available yet', ja: 'まだ予測できません' },
  asTable: { en: 'Chart data', ja: 'グラフの内容を表で見る' },
  left: { en: 'Remaining', ja: '残り' },
  items: { en: 'Items', ja: 'タスク' },
  item: { en: 'Item', ja: 'タスク' },
  closedItems: { en: 'Items at close', ja: '終了時のタスク' },
  outcomes: {
    en: {
      done: 'Done',
      split: 'Split',
      next_sprint: 'Moved to next sprint',
      backlog: 'Moved to the backlog',
      drop: 'Dropped',
    },
    ja: {
      done: '完了',
      split: '分割',
      next_sprint: '次のスプリントへ移動',
      backlog: 'バックログへ移動',
      drop: '対象外にした',
    },
  },
  noItems: { en: 'No items.', ja: 'タスクはありません。' },
})
