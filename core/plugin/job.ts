import { Type, type Static, type TObject } from '@sinclair/typebox'
import type { Job } from './context.ts'

/** Declares a job; its payload type is inferred from the schema. Without a schema the payload is `{}`. */
export function defineJob<S extends TObject = TObject>(
  job: Omit<Job<Static<S>>, 'payload'> & { readonly payload?: S },
): Job<Static<S>> {
  return { payload: Type.Object({}), ...job }
}
