import type { Static, TObject } from '@sinclair/typebox'
import { featureGuards } from './host-points.ts'
import { Content, type ContextOf, type DefinedTool, type ToolClass } from './tool.ts'

/**
 * Runs a tool from other code, such as a page, after checking its feature switches. The input is not validated again.
 * @throws ToolError from the tool or its switches; TypeError if the tool returns content blocks
 */
export async function callTool<C extends ToolClass, I extends TObject, O extends TObject>(
  tool: DefinedTool<C, I, O>,
  ctx: ContextOf<C>,
  input: Static<I>,
): Promise<Static<O>> {
  for (const guard of ctx.all(featureGuards)) {
    const refusal = guard(ctx, tool.gates ?? [], input)
    if (refusal) throw refusal
  }
  const result = await tool.run(ctx, input)
  if (result instanceof Content) throw new TypeError(`${tool.name} answers with content blocks`)
  return result
}
