import { type ReadContext } from 'tasuki/plugin'
import { access, FEATURES, featureOn, type Feature } from '../projects/index.ts'
import { settingSources, type Setting } from './points.ts'

/** The default time zone of users. */
const DEFAULT_TIME_ZONE = 'Asia/Tokyo'

/** Settings of chat front ends. */
export const chatSettings = settingSources({
  settings(ctx) {
    const { timeZone } = access(ctx)
    return [
      { key: 'chat.language', value: 'auto', source: 'default' },
      { key: 'chat.timezone', value: timeZone, source: timeZone === DEFAULT_TIME_ZONE ? 'default' : 'user' },
      { ...featureSetting(ctx, 'summaries'), key: 'chat.auto_summary' },
    ]
  },
})

/** The owner's features; single projects may differ. */
export const featureSettings = settingSources({
  settings: ctx => (Object.keys(FEATURES) as Feature[]).map(feature => featureSetting(ctx, feature)),
})

function featureSetting(ctx: ReadContext, feature: Feature): Setting {
  return {
    key: `features.${feature}`,
    value: featureOn(ctx, feature),
    source: feature in access(ctx).features ? 'user' : 'default',
  }
}

/** Limits that clients can respect before they call. */
export const limitSettings = settingSources({
  settings: () =>
    Object.entries({
      item_title_chars: 200,
      item_detail_chars: 100_000,
      detail_chars_per_call: 32_000,
      bulk_items: 25,
    }).map(([name, value]) => ({ key: `limits.${name}`, value, source: 'deployment' as const })),
})
