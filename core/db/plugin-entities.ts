/** `tasuki/entities`: functions that define tables, and the types of the host's own tables. */
export * from '../plugin/entities.ts'
// oxlint-disable-next-line unicorn/require-module-specifiers -- its declaration of tables is all that is wanted
export type {} from './entities.ts'
