/** `tasuki/entities`: functions that define tables, and the types of the host's own tables. */
export * from '../plugin/entities.ts'
export type {} from './entities.ts'
