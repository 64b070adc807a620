import { errorBody, type ToolError } from '../plugin/errors.ts'
import { quoteName } from '../plugin/quote-name.ts'
import { Content } from '../plugin/tool.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'
import { fitError, fitResult } from './result-size-limit.ts'
import type { RequestContext } from './request-context.ts'
import { withoutHiddenTools } from './hidden-tools.ts'

/** Answer of a tool, serialized once. */
export interface Outcome {
  /** Minified JSON of the data; null if the tool returned only content blocks. */
  readonly data: string | null
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  readonly isError: boolean
}

const NO_BLOCKS: Outcome['blocks'] = Object.freeze([])

/** Validates the return value of a tool against its output schema, fits it into the size limit and serializes it. */
export function toOutcome(
  tool: CompiledTool,
  input: Readonly<Record<string, unknown>>,
  returned: unknown,
  maxBytes: number,
): Outcome {
  const { blocks, data, isError } =
    returned instanceof Content ? returned : { blocks: NO_BLOCKS, data: returned, isError: false }
  if (data === undefined && blocks.length > 0) return { data: null, blocks, isError }
  if (data === null || typeof data !== 'object')
    throw new TypeError(`${tool.name} returned ${typeof data}, not an object`)
  if (!isError && tool.checkOutput && !tool.checkOutput.Check(data)) {
    const error = tool.checkOutput.Errors(data).First()
    throw new TypeError(`${tool.name} broke its output schema at ${error?.path}: ${error?.message}`)
  }
  return { data: fitResult(tool, input, data, maxBytes), blocks, isError }
}

/** Creates the outcome of a refused call. @param maxBytes in UTF-8 */
export function errorOutcome(error: ToolError, maxBytes: number): Outcome {
  return { data: fitError(errorBody(error), maxBytes), blocks: NO_BLOCKS, isError: true }
}

/**
 * Builds the members of the CallToolResult: the data as text and, unless the call failed, also as structured content.
 * A failed call has only text: clients validate structured content against the output schema even if `isError` is set, and would report
 * that mismatch instead of the error.
 */
export function outcomeMembers(
  outcome: Outcome,
  { revision, view }: Pick<RequestContext, 'revision' | 'view'>,
): string {
  const { blocks, isError } = outcome
  const data = outcome.data === null ? null : withoutHiddenTools(outcome.data, view.hides)
  const extra =
    blocks.length > 0 ? JSON.stringify(revision.resourceLinks ? blocks : blocks.map(withoutLink)).slice(1, -1) : ''
  const text = data === null ? '' : `{"type":"text","text":${JSON.stringify(data)}}`
  const content = `"content":[${text}${text && extra && ','}${extra}]`
  if (isError) return `${content},"isError":true`
  return data === null ? content : `${content},"structuredContent":${data}`
}

/** 2025-03-26 does not support resource links, so they become text. */
function withoutLink(block: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (block['type'] !== 'resource_link') return block
  return { type: 'text', text: `${quoteName(String(block['title'] ?? block['name']))}: ${String(block['uri'])}` }
}
