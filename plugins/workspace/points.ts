import { definePoint, type Expression, type PageText, type ReadContext, type TSchema } from 'tasuki/plugin'
import type { Child, Language } from '../portal/index.ts'
import type { NotificationRow } from './notification.repository.ts'

/** The source of a setting's value: the default, the user or the operator. */
export const SETTING_SOURCES = ['default', 'user', 'deployment'] as const

export interface Setting {
  /** Lower-case words joined by dots, for example `chat.language`. */
  readonly key: string
  readonly value: unknown
  readonly source: (typeof SETTING_SOURCES)[number]
  /** How the portal shows the value; default: as it is. */
  readonly shown?: PageText
}

/** Settings that a plugin shows in settings_list; for a duplicate key the later plugin wins. */
export interface SettingSource {
  /** Scalar subquery (jsonb) for data from the database; it runs inside the single statement of the read. */
  sql?(ctx: ReadContext): Expression<unknown>
  /** @param found JSON of the subquery, null without one */
  settings(ctx: ReadContext, found: unknown): readonly Setting[]
}
export const settingSources = definePoint<SettingSource>('workspace.settingSources')

/** The period of me_overview. */
export interface OverviewPeriod {
  /** Today in the user's time zone, as for due dates, `YYYY-MM-DD`. */
  readonly today: string
  /** Time of day in the user's time zone, `HH:MM`. */
  readonly clock: string
  /** First day of the current week by `zone`, `YYYY-MM-DD`. */
  readonly weekBegin: string
  /** The operand of `at time zone` that converts timestamps to the time zone of weeks. */
  readonly zone: Expression<unknown>
}

/** A part of me_overview: a scalar subquery that returns jsonb; null leaves the part out. Keep it to about 200 tokens. */
export interface OverviewSection {
  /** The property in the result. */
  readonly name: string
  readonly schema: TSchema
  sql(ctx: ReadContext, period: OverviewPeriod): Expression<unknown>
}
export const overviewSections = definePoint<OverviewSection>('workspace.overviewSections')

/** Translations of a kind of notification for the portal; without one it is shown in English, as stored. */
export interface NotificationTranslation {
  /** For example `sprint.closed`. */
  readonly kind: string
  /** Returns undefined if the notification lacks data that the text needs, as older ones may. */
  translate(
    language: Exclude<Language, 'en'>,
    notification: NotificationRow['notification'],
  ): { readonly title: string; readonly body?: Child } | undefined
}
export const notificationTranslations = definePoint<NotificationTranslation>('workspace.notificationTranslations')

/** Names that people gave to what changes; without one, the history in the portal shows the key. */
export interface ChangedNames {
  /** The second part of the kinds of entries: `custom_fields` for `item.custom_fields.severity.changed`. */
  readonly part: string
  /** Scalar subquery on the item `i`: a json object with the names by key, the third part of a kind; null for none. */
  readonly sql: Expression<unknown>
}
export const changedNames = definePoint<ChangedNames>('workspace.changedNames', {
  requires: ['part', 'sql'],
  unique: 'part',
})

/** All extension points, for the plugin's declaration. */
export const points = [settingSources, overviewSections, notificationTranslations, changedNames]
