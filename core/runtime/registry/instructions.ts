import type { instructions } from '../../plugin/host-points.ts'
import type { CompiledTool } from './types.ts'

type Part = Parameters<typeof instructions>[0]

/** The host's own part, for views with a tool that asks; true whether clients are asked, given a token, or neither. */
const CONFIRMATION: Part = {
  rank: 20,
  text: 'A call that answers confirmation_required did nothing yet: ask the user, then repeat it with its confirm_token.',
}

/** What connections with these tools are told: parts about other tools are left out. */
export function instructionsFor(parts: readonly Part[], tools: ReadonlyMap<string, CompiledTool>): string {
  const asks = [...tools.values()].some(({ tool }) => tool.confirm)
  return [...parts, ...(asks ? [CONFIRMATION] : [])]
    .filter(({ tools: named = [] }) => named.every(name => tools.has(name)))
    .sort((a, b) => a.rank - b.rank)
    .map(({ text }) => text)
    .join('\n')
}
