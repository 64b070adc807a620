import { defineTool, type Tool, type TSchema, type WriteContext } from 'tasuki/plugin'
import { projectKey, type ProjectRow } from '../projects/index.ts'
import { pickNamed } from './placement/pick.ts'
import type { Placement, PlaceRow } from './placement/placement.ts'
import { readPlaces } from './placement/placement.repository.ts'
import { itemRef } from './refs.ts'
import { writtenOutput, type Written } from './result.ts'

interface MemberTool<T extends PlaceRow> extends Required<Pick<Tool, 'name' | 'title' | 'summary' | 'rank'>> {
  /** Schema of the parameter that names the place; the parameter is called like the placement's noun. */
  readonly ref: TSchema
  run(ctx: WriteContext, itemRef: string, of: { readonly project: ProjectRow; readonly place: T }): Promise<Written>
}

/** Defines a tool that puts an item into a place of its project, or takes it out. */
export function defineMemberTool<T extends PlaceRow>(placement: Placement<T>, { ref, run, ...head }: MemberTool<T>) {
  const { noun, feature } = placement
  return defineTool({
    ...head,
    class: 'W',
    ...(feature && { gates: [feature] }),
    input: { project_key: projectKey('Project key.'), [noun]: ref, item_ref: itemRef() },
    output: writtenOutput,
    async run(ctx, input) {
      const { project_key, item_ref, [noun]: text } = input as Record<string, string>
      const { project, places } = await readPlaces(ctx, placement, project_key!, { write: true })
      const place = pickNamed(placement, places, text!, { projectKey: project.key, field: noun })
      return run(ctx, item_ref!, { project, place })
    },
  })
}
