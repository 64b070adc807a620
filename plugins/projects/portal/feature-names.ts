import { defineTexts } from '../../portal/index.ts'
import type { Feature } from '../features.ts'

export const featureNames = defineTexts<Readonly<Record<Feature, string>>>(
  {
    calendar: 'Calendar: events',
    sprints: 'Sprints',
    roadmap: 'Roadmap: versions',
    estimation: 'Estimates',
    agile_ai: 'Suggestions and forecasts',
    summaries: 'Summaries of conversations',
  },
  {
    ja: {
      calendar: 'カレンダー（予定）',
      sprints: 'スプリント',
      roadmap: 'ロードマップ（バージョン）',
      estimation: '見積もり',
      agile_ai: '提案と予測',
      summaries: '会話の要約',
    },
  },
)
