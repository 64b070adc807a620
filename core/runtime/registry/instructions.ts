import type { instructions } from '../../plugin/host-points.ts'
import type { CompiledTool } from './types.ts'

type Part = Parameters<typeof instructions>[0]

/** Instruction of the host for views with a tool that needs a confirmation; it applies to all confirmation modes. */
const CONFIRMATION: Part = {
  rank: 20,
  text: 'A call that answers confirmation_required did nothing yet: ask the user, then repeat it with its confirm_token.',
}

/** Builds the instructions for a connection with these tools; omits parts about other tools. */
export function instructionsFor(parts: readonly Part[], tools: ReadonlyMap<string, CompiledTool>): string {
  const asks = [...tools.values()].some(({ tool }) => tool.confirm)
  return [...parts, ...(asks ? [CONFIRMATION] : [])]
    .filter(({ tools: named = [] }) => named.every(name => tools.has(name)))
    .sort((a, b) => a.rank - b.rank)
    .map(({ text }) => text)
    .join('\n')
}
