import { argumentValues, type Resource } from 'tasuki/plugin'
import { itemsKey } from '../items/index.ts'
import { settingChanges } from '../projects/index.ts'
import { findRecords, findVersions, readActive, readMatchingPaths } from './sprint-address.repository.ts'

const MIME = 'application/json'
const ACTIVE = 20
const MAX_VALUES = 100

/** A sprint as sprints_list returns it. */
export const sprintResource: Resource = {
  name: 'sprint',
  title: 'Sprint',
  description:
    'A sprint as JSON: goal, dates, counts, remaining estimate. sprint is its path or id; a / in a path is %2F.',
  mimeType: MIME,
  uriTemplate: 'tasuki://sprint/{project}/{sprint}',
  tools: ['sprints_list'],
  async read(ctx, uri, address) {
    const [found] = await findRecords(ctx, [address])
    return found ? [{ uri, mimeType: MIME, text: JSON.stringify(found.sprint) }] : null
  },
  async watch(ctx, addresses) {
    const found = await findVersions(ctx, addresses)
    // The record counts items, so a change of any item of the project may change it.
    return found.map(
      sprint => sprint && { keys: [sprintRecordKey(sprint.id), itemsKey(sprint.projectId)], version: sprint.version },
    )
  },
  /** The active sprints. */
  async list(ctx) {
    const active = await readActive(ctx, ACTIVE)
    return active.map(({ key, path }) => ({
      uri: `tasuki://sprint/${encodeURIComponent(key)}/${encodeURIComponent(path)}`,
      name: `${key} ${path}`,
      title: path,
    }))
  },
}

/** Returns the subscription key of a sprint's changes. */
const sprintRecordKey = (id: string): string => `sprint/${id}`

/** Notifies subscribed clients of changes of sprints. */
export const publishSprints = settingChanges(async (ctx, changes) => {
  const ids = changes.flatMap(({ kind, from, to }) =>
    kind.startsWith('sprint.') ? [((to ?? from) as { id: string }).id] : [],
  )
  ctx.recordsChanged(ids.map(sprintRecordKey))
})

export const sprintValues = argumentValues({
  argument: 'sprint',
  complete: (ctx, value, { project }) => readMatchingPaths(ctx, value, project, MAX_VALUES),
})
