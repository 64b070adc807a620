import { definePoint, type Expression, type ReadContext, type TSchema } from 'tasuki/plugin'
import type { Child, Language } from '../portal/index.ts'
import type { NotificationRow } from './notification.repository.ts'

/** Where a setting's value comes from: nobody chose it, the user did, or the operator did. */
export const SETTING_SOURCES = ['default', 'user', 'deployment'] as const

export interface Setting {
  /** Lower case words joined by dots, for example `chat.language`. */
  readonly key: string
  readonly value: unknown
  readonly source: (typeof SETTING_SOURCES)[number]
}

/** Settings that a plugin shows in settings_list; a key given twice has the value of the later plugin. */
export interface SettingSource {
  /** Scalar sub-select (jsonb) for what has to come from the database; it runs inside the one statement of the read. */
  sql?(ctx: ReadContext): Expression<unknown>
  /** @param found JSON of the sub-select, null without one */
  settings(ctx: ReadContext, found: unknown): readonly Setting[]
}
export const settingSources = definePoint<SettingSource>('workspace.settingSources')

/** The period that me_overview looks at. */
export interface OverviewPeriod {
  /** Today in the user's time zone, which due dates are in, `YYYY-MM-DD`. */
  readonly today: string
  /** Time of day there, `HH:MM`. */
  readonly clock: string
  /** First day of the current week by `zone`, `YYYY-MM-DD`. */
  readonly weekBegin: string
  /** What follows `at time zone` to turn instants into the time that weeks are counted in. */
  readonly zone: Expression<unknown>
}

/** A part of me_overview: a scalar sub-select that returns jsonb; null leaves the part out. Keep it to about 200 tokens. */
export interface OverviewSection {
  /** Its property in the result. */
  readonly name: string
  readonly schema: TSchema
  sql(ctx: ReadContext, period: OverviewPeriod): Expression<unknown>
}
export const overviewSections = definePoint<OverviewSection>('workspace.overviewSections')

/** A kind of notification in the languages that it is not written in, for the portal; without one it is shown as it was written, in English. */
export interface NotificationTranslation {
  /** For example `sprint.closed`. */
  readonly kind: string
  /** Undefined where the notification lacks what the text needs, as older ones may. */
  translate(
    language: Exclude<Language, 'en'>,
    notification: NotificationRow['notification'],
  ): { readonly title: string; readonly body?: Child } | undefined
}
export const notificationTranslations = definePoint<NotificationTranslation>('workspace.notificationTranslations')

/** All points, for the plugin's declaration. */
export const points = [settingSources, overviewSections, notificationTranslations]
