import { Init } from './0001_init.ts'
import { OAuth } from './0002_oauth.ts'

export const coreMigrations = { '0001_init': Init, '0002_oauth': OAuth }
