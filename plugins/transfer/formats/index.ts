import type { ImportFormat } from '../points.ts'
import { csv, jira, linear } from './csv.ts'
import { github } from './github.ts'
import { ownCsv, ownJson } from './own.ts'
import { todoist } from './todoist.ts'
import { trello } from './trello.ts'
import { vikunja } from './vikunja.ts'

/** The formats of this plugin. The first match is used: csv matches any table. */
export const FORMATS: readonly ImportFormat[] = [ownJson, ownCsv, github, trello, vikunja, todoist, jira, linear, csv]
