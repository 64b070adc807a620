import { Init } from './0001_init.js'

export const migrations = { '0001_init': Init }
