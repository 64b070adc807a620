import type { TObject } from '@sinclair/typebox'
import { UNLISTED } from '../../plugin/fields.ts'
import type { Tool } from '../../plugin/tool.ts'

/** Builds the entry of tools/list: plain JSON, without the guards and symbols of TypeBox schemas. */
export function listTool(tool: Tool, input: TObject, output: TObject | null): Readonly<Record<string, unknown>> {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.summary,
    inputSchema: listSchema(input),
    // Error results must also match the listed schema, because without structured content Gemini CLI parses the text of a result instead.
    // The service validates its own results against the whole schema.
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
