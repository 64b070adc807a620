export interface CatalogParam {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'string[]' | 'object[]'
  readonly required?: true
  readonly enum?: readonly string[]
  /** The tool accepts values outside `enum` too. */
  readonly openEnum?: true
  readonly format?: 'date'
  readonly default?: string | number | boolean
  readonly nullable?: true
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  /** Parameters of the objects in an array. */
  readonly fields?: CatalogParams
}
export type CatalogParams = Readonly<Record<string, CatalogParam>>

export interface CatalogTool {
  readonly name: string
  readonly group: string
  readonly class: 'R' | 'W' | 'WD'
  /** Whether the tool runs only after confirmation. */
  readonly confirm: boolean
  readonly params: CatalogParams
}
type Ungrouped = Omit<CatalogTool, 'group'>

export const read = (name: string, params: CatalogParams): Ungrouped => ({ name, class: 'R', confirm: false, params })
export const write = (name: string, params: CatalogParams): Ungrouped => ({ name, class: 'W', confirm: false, params })
export const destructive = (name: string, params: CatalogParams): Ungrouped => ({
  name,
  class: 'WD',
  confirm: false,
  params,
})
export const confirmed = (name: string, params: CatalogParams): Ungrouped => ({
  name,
  class: 'WD',
  confirm: true,
  params,
})

export function group(name: string, tools: readonly Ungrouped[]): CatalogTool[] {
  return tools.map(tool => ({ ...tool, group: name }))
}

export const string: CatalogParam = { type: 'string' }
export const integer: CatalogParam = { type: 'integer' }
export const number: CatalogParam = { type: 'number' }
export const boolean: CatalogParam = { type: 'boolean' }
export const object: CatalogParam = { type: 'object' }
export const date: CatalogParam = { type: 'string', format: 'date' }
export const title: CatalogParam = { type: 'string', minLength: 1, maxLength: 200 }
export const priority: CatalogParam = choice('urgent', 'high', 'normal', 'low')
export const relationType: CatalogParam = choice(
  'parent',
  'child',
  'reference',
  'duplicate',
  'generated_from',
  'enriches',
  'previous_instance',
)

export function choice(...values: readonly string[]): CatalogParam {
  return { type: 'string', enum: values }
}

export function text(maxLength: number, minLength?: number): CatalogParam {
  return { type: 'string', maxLength, ...(minLength !== undefined && { minLength }) }
}

export function strings(limits: Pick<CatalogParam, 'enum' | 'minItems' | 'maxItems'> = {}): CatalogParam {
  return { type: 'string[]', ...limits }
}

export function objects(fields: CatalogParams, limits: Pick<CatalogParam, 'maxItems'> = {}): CatalogParam {
  return { type: 'object[]', fields, ...limits }
}

/** Defines a page size from 1 to `maximum`. */
export function page(maximum: number, byDefault: number): CatalogParam {
  return { type: 'integer', minimum: 1, maximum, default: byDefault }
}

export const required = (param: CatalogParam): CatalogParam => ({ ...param, required: true })
export const nullable = (param: CatalogParam): CatalogParam => ({ ...param, nullable: true })
export const open = (param: CatalogParam): CatalogParam => ({ ...param, openEnum: true })
export const defaults = (param: CatalogParam, value: string | number | boolean): CatalogParam => ({
  ...param,
  default: value,
})
