import type { Static, TObject } from '@sinclair/typebox'

/** Typed key under which a plugin's checked settings are read. */
export interface ConfigKey<T = unknown> {
  readonly plugin: string
  readonly schema: TObject
  /** Carries the type only; never set. */
  readonly T?: T
}

/** Declares a plugin's settings; defaults are filled, then the value is checked and frozen at boot. Settings that are not declared are refused. */
export function defineConfig<S extends TObject>(plugin: string, schema: S): ConfigKey<Static<S>> {
  return { plugin, schema }
}
