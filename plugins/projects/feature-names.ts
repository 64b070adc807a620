import type { Language } from '../portal/index.ts'
import type { Feature } from './features.ts'

export const featureTitles: Readonly<Record<Feature, Readonly<Record<Language, string>>>> = {
  calendar: { en: 'Calendar: events', ja: 'カレンダー（予定）' },
  sprints: { en: 'Sprints', ja: 'スプリント' },
  roadmap: { en: 'Roadmap: versions', ja: 'ロードマップ（バージョン）' },
  estimation: { en: 'Estimates', ja: '見積もり' },
  agile_ai: { en: 'Suggestions and forecasts', ja: '提案と予測' },
  summaries: { en: 'Summaries of conversations', ja: '会話の要約' },
}
