import { Init } from './0001_init.ts'

export const coreMigrations = { '0001_init': Init }
