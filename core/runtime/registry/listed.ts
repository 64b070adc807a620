import type { TObject } from '@sinclair/typebox'
import { UNLISTED } from '../../plugin/fields.ts'
import type { Tool } from '../../plugin/tool.ts'

/** The entry of tools/list: plain JSON, without guards and the symbols that TypeBox keeps on its schemas. */
export function listTool(tool: Tool, input: TObject, output: TObject | null): Readonly<Record<string, unknown>> {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.summary,
    inputSchema: listSchema(input),
    // Refusals have to pass it too: Gemini CLI takes the text of any result for its structured content where that is missing.
    // The service holds its own results to the whole schema.
    ...(output && { outputSchema: listSchema({ ...output, required: undefined }) }),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.class === 'R',
      destructiveHint: tool.class === 'WD',
      openWorldHint: false,
    },
  }
}

function listSchema(schema: object): object {
  const plain = JSON.stringify(schema, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(UNLISTED in value)) return value
    const unlisted = [UNLISTED, ...(value[UNLISTED] as readonly string[])]
    return Object.fromEntries(Object.entries(value).filter(([keyword]) => !unlisted.includes(keyword)))
  })
  return JSON.parse(plain) as object
}

/** Finds parameters marked `x-mcp-header`, which clients of 2026-07-28 repeat in `Mcp-Param-…` headers. */
export function paramHeaders(input: TObject): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const walk = (schema: object, path: readonly string[]): void => {
    const { properties } = schema as { properties?: Record<string, Record<string, unknown>> }
    for (const [name, property] of Object.entries(properties ?? {})) {
      const header = property['x-mcp-header']
      if (typeof header === 'string') found.set(`mcp-param-${header.toLowerCase()}`, [...path, name])
      walk(property, [...path, name])
    }
  }
  walk(input, [])
  return found
}
