import { calls } from './requirements/calls.ts'
import { content } from './requirements/content.ts'
import type { Since } from './requirements/define.ts'
import { items } from './requirements/items.ts'
import { lists } from './requirements/lists.ts'
import { oauth } from './requirements/oauth.ts'
import { planning } from './requirements/planning.ts'
import { portal } from './requirements/portal.ts'
import { projects } from './requirements/projects.ts'
import { protocol } from './requirements/protocol.ts'
import { workflows } from './requirements/workflows.ts'

/** One testable sentence of the specification, or of a decision about it. */
export interface Requirement {
  readonly id: RequirementId
  /** Document and section of the sentence. */
  readonly source: string
  readonly text: string
  readonly since: Since
}

const GROUPS = [
  ...protocol,
  ...calls,
  ...items,
  ...lists,
  ...projects,
  ...workflows,
  ...content,
  ...planning,
  ...oauth,
  ...portal,
] as const

type IdsOf<Group> = Group extends { readonly rows: infer Rows } ? keyof Rows & string : never
export type RequirementId = IdsOf<(typeof GROUPS)[number]>

/** All requirements of the service, in the order of the specification; tests cite the ids. */
export const REQUIREMENTS: readonly Requirement[] = GROUPS.flatMap(({ source, since, rows }) =>
  Object.entries(rows).map(([id, text]) => ({ id: id as RequirementId, source, text, since })),
)
