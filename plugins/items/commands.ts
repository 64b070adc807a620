import { defineCommand, Type } from 'tasuki/plugin'
import { ownerOption, projectArgument, requireProjectOf } from '../projects/index.ts'
import { formatRef } from './draft.ts'
import { requireItemOf } from './find.ts'
import { readKinds } from './kind.repository.ts'
import { setKinds } from './kinds.ts'
import { moveItem, planMove, type Carried } from './project-move.ts'

export const projectKinds = defineCommand({
  name: 'project kinds',
  summary: 'Show or replace the custom item kinds of a project.',
  args: Type.Object({
    key: projectArgument,
    set: Type.Optional(Type.String({ description: 'Kinds, joined by commas; empty removes all.' })),
    user: ownerOption,
  }),
  positional: ['key'],
  reads: ({ set }) => set === undefined,
  async run(ctx, { key, set, user }) {
    const project = await requireProjectOf(ctx, await ctx.users.require(user), key, 'key')
    if (set !== undefined) await setKinds(ctx, project, set, 'set')
    return { rows: (await readKinds(ctx, project)).map(kind => ({ kind })) }
  },
})

export const itemMove = defineCommand({
  name: 'item move',
  summary: 'Move an item to another project. Where it would lose something, only shows what, unless --yes is given.',
  args: Type.Object({
    item_ref: Type.String({ minLength: 1, maxLength: 300, description: 'The item, KEY#n.' }),
    to_project: projectArgument,
    yes: Type.Optional(Type.Boolean({ description: 'Move it also where it loses something.' })),
    user: ownerOption,
  }),
  positional: ['item_ref', 'to_project'],
  async run(ctx, { item_ref: ref, to_project: key, yes, user }) {
    const owner = await ctx.users.require(user)
    const project = await requireProjectOf(ctx, owner, key, 'to_project')
    const item = await requireItemOf(ctx, owner, ref, { field: 'item_ref', lock: 'with workflows' })
    const plan = await planMove(ctx, [item], project, { lock: true })
    const [{ draft, mapped, lost }] = plan.moves as readonly [(typeof plan.moves)[number]]
    const from = formatRef(draft.before)
    if (draft.before.project.id === project.id) return { text: `${from} is in ${project.key} already.` }
    const rows = [...lost.map(each => rowOf('lost', each)), ...mapped.map(each => rowOf('kept', each))]
    if (lost.length > 0 && !yes)
      return { text: `Nothing was moved: ${from} would lose something. To move it all the same, add --yes.`, rows }
    await moveItem(ctx, plan)
    return { text: [`Moved ${from}; it is ${draft.ref} now.`, ...draft.warnings].join('\n'), rows }
  },
})

function rowOf(what: string, { field, from, to }: Carried): Record<string, unknown> {
  const shown = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))
  return { field, what, from: shown(from), to: shown(to) }
}
