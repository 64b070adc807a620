import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { loadConfig } from '../core/host/config/load.ts'
import { loadPlugins } from '../core/host/config/plugins.ts'
import { compile } from '../core/runtime/registry/compile.ts'
import { verifies } from './verifies.ts'

type Json = Readonly<Record<string, unknown>>
interface Listed {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
}

const config = await loadConfig(undefined)
const loaded = await loadPlugins({ ...config, plugins: { ...config.plugins, project_admin: {} } }, process.cwd())
const registry = compile(
  loaded.map(({ plugin, options }) => ({ spec: plugin.spec, options })),
  config.profiles,
)
/** The 100 tools and those of project_admin, as listed to clients. */
const tools = [...registry.tools.values()].map(({ listed }) => listed as unknown as Listed)

/** A schema within the input schema of a tool. */
interface Node {
  readonly path: string
  readonly schema: Json
}

function nodesOf(path: string, schema: Json): Node[] {
  const {
    properties = {},
    items,
    additionalProperties,
    anyOf = [],
  } = schema as {
    properties?: Readonly<Record<string, Json>>
    items?: Json
    additionalProperties?: Json | boolean
    anyOf?: readonly Json[]
  }
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([name, inner]) => nodesOf(`${path}.${name}`, inner)),
    ...(items ? nodesOf(`${path}[]`, items) : []),
    ...(typeof additionalProperties === 'object' ? nodesOf(`${path}{}`, additionalProperties) : []),
    ...anyOf.flatMap((inner, index) => nodesOf(`${path}|${index}`, inner)),
  ]
}
const nodes = tools.flatMap(({ name, inputSchema }) => nodesOf(name, inputSchema))

/** Finds keywords outside this list. */
function keywordsOutside(all: readonly Node[], keywords: readonly string[]): string[] {
  return all.flatMap(({ path, schema }) =>
    Object.keys(schema)
      .filter(keyword => !keywords.includes(keyword))
      .map(keyword => `${path}: ${keyword}`),
  )
}
/** Finds formats outside this list. */
function otherFormats(all: readonly Node[], formats: readonly string[]): string[] {
  return all.flatMap(({ path, schema }) => {
    const { format } = schema
    return format === undefined || formats.includes(String(format)) ? [] : [`${path}: ${String(format)}`]
  })
}

/** The longest tool name that a client builds, with the server name of README and portal. */
const longest = Math.max(...tools.map(({ name }) => name.length))
const SERVER = 'tasuki'

describe('the input schemas of all tools', () => {
  assert.ok(tools.length > 100 && nodes.length > 500)

  /**
   * platform.claude.com/docs: tool names match ^[a-zA-Z0-9_-]{1,64}$; input_schema is an object without $ref anywhere and without oneOf,
   * anyOf or allOf at its top; property names are 1 to 64 letters, digits, underscores, dots and hyphens. Other keywords are accepted.
   * Claude Code calls a tool mcp__<server>__<tool>.
   */
  verifies('schemas.anthropic', 'are accepted by Anthropic', () => {
    assert.ok(`mcp__${SERVER}__`.length + longest <= 64)
    for (const { name, inputSchema } of tools) {
      assert.match(name, /^[a-zA-Z0-9_-]+$/)
      assert.equal(inputSchema['type'], 'object', name)
      for (const word of ['oneOf', 'anyOf', 'allOf']) assert.ok(!(word in inputSchema), `${name}: ${word}`)
    }
    for (const { path, schema } of nodes) {
      for (const word of ['$ref', '$defs', '$dynamicRef', '$recursiveRef'])
        assert.ok(!(word in schema), `${path}: ${word}`)
      for (const name of Object.keys(schema['properties'] ?? {})) assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/)
    }
  })

  /**
   * developers.openai.com/api/docs/guides/function-calling: names match ^[a-zA-Z0-9_-]{1,64}$, at most 128 tools in a request, parameters
   * are an object with properties. Without strict mode, unknown keywords are hints for the model.
   */
  verifies('schemas.openai', 'are accepted by OpenAI as function tools', () => {
    assert.ok(tools.length <= 128)
    for (const { name, inputSchema, description } of tools) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
      assert.ok(inputSchema['properties'], name)
      assert.ok(description.length <= 1024, name)
    }
    assert.deepEqual(
      nodes
        .filter(({ schema }) => schema['type'] === undefined && schema['anyOf'] === undefined)
        .map(({ path }) => path),
      [],
    )
  })

  /**
   * developers.openai.com/api/docs/guides/structured-outputs#supported-schemas: types string, number, boolean, integer, object, array,
   * enum, anyOf; pattern and format; multipleOf and the limits of numbers; minItems and maxItems; all objects closed; all fields required,
   * so that optional fields become nullable; at most 10 levels, 5,000 properties and 1,000 enum values. Strict mode is the client's choice:
   * it makes optional fields nullable and drops default and the lengths of strings.
   */
  verifies('schemas.openai_strict', 'are accepted by OpenAI as strict tools, except the one with custom keys', () => {
    const strict = ['type', 'description', 'properties', 'required', 'additionalProperties', 'enum', 'anyOf', 'items']
    const limits = ['pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'minItems', 'maxItems']
    const dropped = ['default', 'minLength', 'maxLength']
    assert.deepEqual(keywordsOutside(nodes, [...strict, ...limits, ...dropped]), [])
    assert.deepEqual(
      otherFormats(nodes, ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
      [],
    )
    const open = nodes.filter(({ schema }) => schema['type'] === 'object' && schema['additionalProperties'] !== false)
    // The map of custom fields cannot be closed, because its keys are those of a project. Strict clients send this tool without strict
    // mode, or omit it.
    assert.deepEqual(
      open.map(({ path }) => path),
      ['items_set_custom_fields.custom_fields'],
    )
    for (const { name, inputSchema } of tools) {
      const own = nodesOf('', inputSchema)
      const levels = Math.max(...own.map(({ path }) => path.split(/[.[{]/).length))
      const values = own.flatMap(({ schema }) => (schema['enum'] ?? []) as readonly unknown[])
      assert.ok(levels <= 10 && own.length <= 5000 && values.length <= 1000, name)
    }
  })

  /**
   * ai.google.dev/api/caching#Schema and #FunctionDeclaration: `parameters` accepts these fields of OpenAPI 3.0, and unknown ones cause a
   * 400; formats of strings are enum and date-time ("only 'enum' and 'date-time' are supported for STRING type"), enum values are not
   * empty, required lists existing properties, only objects have properties. Only `parametersJsonSchema` accepts additionalProperties; MCP
   * clients use it or remove the keyword. Names begin with a letter or _ and have at most 64 letters, digits and _ . -.
   */
  verifies('schemas.gemini', 'are accepted by Gemini and Vertex AI', () => {
    const fields =
      'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'
    assert.deepEqual(keywordsOutside(nodes, [...fields.split(' '), 'additionalProperties']), [])
    assert.deepEqual(
      otherFormats(
        nodes.filter(({ schema }) => schema['type'] === 'string'),
        ['enum', 'date-time'],
      ),
      [],
    )
    assert.deepEqual(otherFormats(nodes, ['enum', 'date-time', 'int32', 'int64', 'float', 'double']), [])
    for (const { name } of tools) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/)
    for (const { path, schema } of nodes) {
      const { type, properties = {}, required = [], items } = schema as Readonly<Record<string, never>>
      if (type !== 'object') assert.ok(!('properties' in schema) && !('required' in schema), path)
      if (type !== 'array') assert.equal(items, undefined, path)
      for (const name of required as readonly string[])
        assert.ok(name in (properties as Json), `${path} requires ${name}`)
      for (const value of (schema['enum'] ?? []) as readonly unknown[])
        assert.ok(
          type === 'string' && typeof value === 'string' && value !== '',
          `${path}: enum ${JSON.stringify(value)}`,
        )
    }
  })

  /**
   * microsoft/vscode-copilot-chat, toolSchemaNormalizer.ts: refuses arrays without items; removes oneOf, anyOf, allOf, not, if, then and
   * else at the top, required names without a property, and for GPT-4 limits, formats and descriptions beyond 1,024 characters, which our
   * tools work without. A request has at most 128 tools (code.visualstudio.com/docs/copilot/chat/chat-tools); names have at most 64
   * characters.
   */
  verifies('schemas.vscode', 'are accepted by VS Code', () => {
    assert.ok(tools.length <= 128)
    assert.ok(`mcp_${SERVER}_`.length + longest <= 64)
    for (const { path, schema } of nodes) {
      if (schema['type'] === 'array') assert.equal(typeof schema['items'], 'object', `${path} has no items`)
      assert.ok(!Array.isArray(schema['type']), `${path} has several types`)
      assert.ok(String(schema['description'] ?? '').length <= 1024, path)
    }
    for (const { name, inputSchema } of tools)
      for (const word of ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'])
        assert.ok(!(word in inputSchema), `${name}: ${word}`)
  })

  /**
   * Cursor: 40 tools across all servers (docs.cursor.com/context/model-context-protocol), and 60 characters of server and tool name
   * together ("Combined server and tool name length exceeds 60 characters"). It passes schemas on to the vendors above.
   */
  verifies('schemas.cursor', 'are accepted by Cursor, and a profile leaves room for other servers', () => {
    assert.ok(SERVER.length + longest <= 60)
    assert.ok(registry.view({ profile: 'essentials', scope: 'write' })!.tools.size <= 20)
  })
})
