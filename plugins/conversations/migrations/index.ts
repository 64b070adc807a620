import { Init } from './0001_init.ts'
import { Vectors } from './0002_vectors.ts'

export const migrations = { '0001_init': Init, '0002_vectors': Vectors }
