import type { PageProject, PageRole } from './projects.ts'

/** The item of a page: the result of items_context_get, and its project. */
export interface ShownItem {
  /** As in the URL: `KEY#n` or `owner@example.com/KEY#n`. */
  readonly ref: string
  readonly project: PageProject
  readonly role: PageRole
  /** Fields as returned by tools; those of disabled plugins are absent. */
  readonly fields: ItemFields
  /** Sections of items_context_get by name; those of disabled plugins are absent. */
  readonly sections: Readonly<Record<string, unknown>>
}

/** Fields that the portal itself shows. */
export interface ItemFields {
  readonly id: string
  readonly ref: string
  readonly project_key: string
  readonly type: 'task' | 'note' | 'event' | 'task_template'
  readonly title: string
  readonly detail?: string
  /** Name of its state. */
  readonly status: string
  readonly status_definition_id: string
  readonly system_status: 'open' | 'closed'
  readonly agile_kind: string
  readonly due_date?: string
  readonly due_time?: string
  readonly start_date?: string
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low'
  readonly archived_at: string | null
  readonly completed_at?: string | null
  readonly labels?: readonly string[]
  readonly area_path?: string
  readonly sprint_path?: string
  readonly version_name?: string
  readonly estimate?: string | number
  readonly custom_fields?: readonly { readonly label: string; readonly value: string }[]
  readonly custom_numbers?: readonly { readonly series_key: string; readonly display_ref?: string }[]
}
