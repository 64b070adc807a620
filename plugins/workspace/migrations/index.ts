import { Init } from './0001_init.ts'
import { ChangesOfNoItem } from './0002_changes_of_no_item.ts'

export const migrations = { '0001_init': Init, '0002_changes_of_no_item': ChangesOfNoItem }
