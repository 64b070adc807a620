import type { Static, TObject } from '@sinclair/typebox'
import type { WriteContext } from './context.ts'

/** Background work on the queue. Several instances may run it; each payload is worked once, and a few times more when that fails. */
export interface Job<P = unknown> {
  /** `<plugin>.<name>`. */
  readonly name: string
  /** Five-field cron expression in UTC; the payload of a scheduled run is `{}`. */
  readonly schedule?: string
  readonly payload: TObject
  /** `false` runs without a transaction (for statements that refuse one); default true. */
  readonly transaction?: boolean
  run(ctx: WriteContext, payload: P): Promise<void>
}

export function defineJob<S extends TObject>(
  job: Omit<Job<Static<S>>, 'payload'> & { readonly payload: S },
): Job<Static<S>> {
  return job
}
