import type { Static, TObject } from '@sinclair/typebox'

/** Typed key of a plugin's validated settings. */
export interface ConfigKey<T = unknown> {
  readonly plugin: string
  readonly schema: TObject
  /** Carries the type only; never set. */
  readonly T?: T
}

/** Declares a plugin's settings. At boot, defaults are applied and the value is validated and frozen. Unknown settings are rejected. */
export function defineConfig<S extends TObject>(plugin: string, schema: S): ConfigKey<Static<S>> {
  return { plugin, schema }
}
