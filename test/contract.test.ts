import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { testHost } from 'tasuki/testing'
import { CATALOG } from './catalog.ts'
import type { CatalogParam, CatalogTool } from './catalog/define.ts'
import { verifies } from './verifies.ts'

type Json = Readonly<Record<string, unknown>>
interface Listed {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: Json
  readonly annotations?: Json
}

const host = await testHost({ after }, { engine: 'pglite' })
const listed = (await host.listTools()) as unknown as readonly Listed[]
const catalog = new Map(CATALOG.map(tool => [tool.name, tool]))
const pairs = listed.flatMap(tool => {
  const expected = catalog.get(tool.name)
  return expected ? [{ tool, expected }] : []
})

verifies('contract.names', 'exactly the tools of the catalog are served, in short names', () => {
  assert.deepEqual(listed.map(({ name }) => name).toSorted(), CATALOG.map(({ name }) => name).toSorted())
  assert.deepEqual([...host.registry.tools.keys()].toSorted(), listed.map(({ name }) => name).toSorted())
  // Clients add a prefix to the name and refuse names with more than 64 characters.
  assert.deepEqual(
    listed.filter(({ name }) => name.length > 46),
    [],
  )
})

verifies('contract.classes', 'class and confirmation of each tool match the catalog', () => {
  for (const { tool, expected } of pairs) {
    const compiled = host.registry.tools.get(tool.name)
    assert.equal(compiled?.class, expected.class, tool.name)
    assert.equal(compiled?.tool.confirm !== undefined, expected.confirm, `${tool.name} confirm`)
    const { title, ...hints } = tool.annotations ?? {}
    assert.ok(title === undefined || title === tool.title, `${tool.name} annotations.title`)
    assert.equal(hints['readOnlyHint'], expected.class === 'R', `${tool.name} readOnlyHint`)
    if (expected.class !== 'R') assert.equal(hints['destructiveHint'], expected.class === 'WD', tool.name)
    assert.ok(
      Object.values(hints).every(hint => typeof hint === 'boolean'),
      `${tool.name} hints`,
    )
  }
})

verifies(
  ['contract.parameters', 'contract.required', 'contract.types', 'contract.nullable'],
  'the parameters of each tool match the catalog',
  () => {
    assert.deepEqual(
      pairs.flatMap(({ tool, expected }) => differences(tool, expected)),
      [],
    )
  },
)

verifies('contract.descriptions', 'tools and all their parameters are titled and described', () => {
  for (const { name, title, description, inputSchema } of listed) {
    assert.ok(title, `${name} has no title`)
    assert.ok(description, `${name} has no description`)
    for (const [parameter, schema] of Object.entries(properties(inputSchema))) {
      const [inner] = (schema['anyOf'] ?? []) as readonly Json[]
      assert.ok(schema['description'] ?? inner?.['description'], `${name}.${parameter} has no description`)
    }
  }
})

verifies('contract.output', 'every tool has an output schema of type object', () => {
  for (const { name, outputSchema } of listed) assert.equal(outputSchema?.['type'], 'object', name)
})

verifies(
  'results.error_text_alone',
  'every listed output schema accepts an error, because some clients check errors against it',
  () => {
    const schemas = new AjvJsonSchemaValidator()
    const refusal = { error: { code: 'not_found', message: 'There is no item #1.', retryable: false } }
    for (const { name, outputSchema } of listed) {
      const { valid, errorMessage } = schemas.getValidator(outputSchema as { type: 'object' })(refusal)
      assert.ok(valid, `${name}: ${errorMessage}`)
    }
  },
)

verifies('contract.portable_schemas', 'schemas use no keyword that some clients reject', () => {
  for (const { name, inputSchema, outputSchema } of listed) {
    for (const schema of [inputSchema, outputSchema ?? {}]) {
      for (const word of ['anyOf', 'oneOf', 'allOf']) assert.ok(!(word in schema), `${name} has a top-level ${word}`)
      assert.deepEqual(typeArrays(schema, name), [])
    }
    assert.equal(inputSchema['additionalProperties'], false, name)
  }
})

verifies('contract.stable_order', 'the list is the same each time', async () => {
  assert.deepEqual(await host.listTools(), listed)
})

/** Optional parameters that the catalog does not have, needed to read the rest of a long list or text. */
const ADDITIONS: Readonly<Record<string, readonly string[]>> = {
  activities_list: ['offset'],
  attachments_list: ['offset'],
  checklist_list: ['offset'],
  discussions_list: ['offset'],
  notifications_list: ['offset'],
  project_labels_list: ['offset'],
  relations_list: ['offset'],
  sprints_note_get: ['body_offset'],
  task_templates_list: ['offset'],
  versions_list: ['offset'],
}

function differences({ name, inputSchema }: Listed, expected: CatalogTool): string[] {
  const served = properties(inputSchema)
  const wanted = Object.entries(expected.params)
  const known = [
    ...wanted.map(([parameter]) => parameter),
    ...(expected.confirm ? ['confirm_token'] : []),
    ...(ADDITIONS[name] ?? []),
  ]
  const extra = Object.keys(served).filter(parameter => !known.includes(parameter))
  const required = (inputSchema['required'] ?? []) as readonly string[]
  return [
    ...extra.map(parameter => `${name}.${parameter} is not in the catalog`),
    ...wanted.flatMap(([parameter, param]) => {
      const schema = served[parameter]
      if (!schema) return [`${name}.${parameter} is missing`]
      const problems = paramDifferences(schema, param)
      if (required.includes(parameter) !== (param.required ?? false)) problems.push(`required: ${!param.required}`)
      return problems.map(problem => `${name}.${parameter} ${problem}`)
    }),
  ]
}

function paramDifferences(outer: Json, param: CatalogParam): string[] {
  const choices = (outer['anyOf'] ?? []) as readonly Json[]
  const isNullable = choices.length === 2 && choices[1]?.['type'] === 'null'
  const schema: Json = isNullable ? { ...outer, ...choices[0] } : outer
  const problems: string[] = []
  const expect = (what: string, served: unknown, wanted: unknown): void => {
    if (JSON.stringify(served) !== JSON.stringify(wanted)) {
      problems.push(`${what}: ${JSON.stringify(served)} instead of ${JSON.stringify(wanted)}`)
    }
  }
  expect('nullable', isNullable, param.nullable ?? false)

  const isArray = param.type.endsWith('[]')
  const type = isArray ? param.type.slice(0, -2) : param.type
  const element = isArray ? ((schema['items'] ?? {}) as Json) : schema
  if (isArray) expect('type', schema['type'], 'array')
  expect(isArray ? 'type of items' : 'type', element['type'], type)

  const values = param.enum
  if (param.openEnum) {
    expect('enum', element['enum'], undefined)
    const documented = JSON.stringify([element['examples'], outer['description']])
    for (const value of values ?? []) if (!documented.includes(value)) problems.push(`does not tell the value ${value}`)
  } else {
    expect('enum', (element['enum'] as readonly string[] | undefined)?.toSorted(), values?.toSorted())
  }
  // The format of dates is validated but not listed, because some vendors refuse it.
  if (element['format'] !== undefined && param.format !== undefined) expect('format', element['format'], param.format)
  if (param.default !== undefined) expect('default', outer['default'] ?? schema['default'], param.default)
  for (const limit of ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const) {
    if (param[limit] !== undefined) expect(limit, schema[limit], param[limit])
  }
  if (param.fields) {
    const fields = properties(element)
    expect('fields', Object.keys(fields).toSorted(), Object.keys(param.fields).toSorted())
    const mandatory = Object.keys(param.fields).filter(field => param.fields?.[field]?.required)
    expect('required fields', ((element['required'] ?? []) as readonly string[]).toSorted(), mandatory.toSorted())
    for (const [field, inner] of Object.entries(param.fields)) {
      if (fields[field]) problems.push(...paramDifferences(fields[field], inner).map(text => `${field} ${text}`))
    }
  }
  return problems
}

function properties(schema: Json): Readonly<Record<string, Json>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Json>>
}

/** Lists the paths of schemas whose `type` is an array. */
function typeArrays(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = !Array.isArray(value) && 'type' in value && Array.isArray(value.type) ? [path] : []
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => typeArrays(inner, `${path}.${key}`))]
}
