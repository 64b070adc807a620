import { Init } from './0001_init.ts'

export const migrations = { '0001_init': Init }
