import type { Static, TObject } from '@sinclair/typebox'
import type { Job } from './context.ts'

/** Declares a job; its payload type is inferred from the schema. */
export function defineJob<S extends TObject>(
  job: Omit<Job<Static<S>>, 'payload'> & { readonly payload: S },
): Job<Static<S>> {
  return job
}
