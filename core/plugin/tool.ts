import { Kind, Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import type { ReadContext, WriteContext } from './context.ts'
import type { All } from './point.ts'

/** R reads, W writes, WD writes destructively. */
export type ToolClass = 'R' | 'W' | 'WD'
export type ContextOf<C extends ToolClass> = C extends 'R' ? ReadContext : WriteContext

/** Properties of an object, or its schema as a whole. */
export type ObjectSchema = TObject | TProperties
/** The schema of an object that is given by its properties. */
export type ObjectOf<S extends ObjectSchema> = S extends TObject ? S : S extends TProperties ? TObject<S> : never

export interface ToolSpec<C extends ToolClass, I extends ObjectSchema, O extends ObjectSchema> {
  /** `<noun>_<verb>`; also the name of its file. */
  readonly name: string
  readonly class: C
  /** Group that profiles select by; default the plugin's. */
  readonly group?: string
  readonly title: string
  /** What it does, when to use a sibling instead, what comes back. */
  readonly summary: string
  /** Place in tools/list, lowest first; default 500, after the 40 tools of everyday work. Clients that cut the list cut its tail. */
  readonly rank?: number
  /** Its parameters; each needs a description. Others are refused, unless a schema with `additionalProperties` lets them in. */
  readonly input: I | ((all: All) => I)
  /** Left out only by tools that answer with content blocks instead of data. */
  readonly output?: O | ((all: All) => O)
  /** Name of the output's list, which the host may cut at a row to keep the result below its size limit. */
  readonly rows?: string
  /** Feature switches of the owner that must be on. */
  readonly gates?: readonly string[]
  /** Plugins, besides those that its own depends on, without which the tool is not served. */
  readonly needs?: readonly string[]
  /**
   * Only on WD: the call runs after the user agreed to the sentence this returns, for example `Delete 3 relations of APP#12`.
   * Where the call would change nothing it returns the answer instead, and nobody is asked;
   * where it needs no agreement although it changes something, null.
   */
  readonly confirm?: C extends 'WD'
    ? (ctx: ReadContext, input: Static<ObjectOf<I>>) => Confirmation<ObjectOf<O>>
    : never
  run(ctx: ContextOf<C>, input: Static<ObjectOf<I>>): Promise<Static<ObjectOf<O>> | Content>
}

/** The effect of a call in a sentence, or the answer of a call that has no effect. */
type Confirmation<O extends TObject> = Promise<Confirmed<O>> | Confirmed<O>
type Confirmed<O extends TObject> = string | Static<O> | Content | null

/** A tool as the host keeps it: the same declaration with its types forgotten. */
export interface Tool {
  readonly name: string
  readonly class: ToolClass
  readonly group?: string
  readonly title: string
  readonly summary: string
  readonly rank?: number
  readonly input: TObject | ((all: All) => TObject)
  readonly output?: TObject | ((all: All) => TObject)
  readonly rows?: string
  readonly gates?: readonly string[]
  readonly needs?: readonly string[]
  readonly confirm?: (ctx: ReadContext, input: never) => Promise<string | object | null> | string | object | null
  run(ctx: WriteContext, input: never): Promise<unknown>
}

/** A tool that other code may run, with the types of its declaration. */
export interface DefinedTool<C extends ToolClass, I extends TObject, O extends TObject> extends Omit<Tool, 'run'> {
  run(ctx: ContextOf<C>, input: Static<I>): Promise<Static<O> | Content>
}

/** Declares a tool; handler types come from its schemas. */
export function defineTool<const C extends ToolClass, I extends ObjectSchema, O extends ObjectSchema = TObject>(
  spec: ToolSpec<C, I, O>,
): DefinedTool<C, ObjectOf<I>, ObjectOf<O>> {
  const { input, output, ...rest } = spec
  return { ...rest, input: toObject(input), ...(output && { output: toObject(output) }) }
}

function toObject(schema: ObjectSchema | ((all: All) => ObjectSchema)): TObject | ((all: All) => TObject) {
  const objectOf = (given: ObjectSchema): TObject => (Kind in given ? given : Type.Object(given))
  return typeof schema === 'function' ? all => objectOf(schema(all)) : objectOf(schema)
}

/** Content blocks of the protocol (text, image, audio, resource, resource_link), beside or instead of data. */
export class Content {
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  readonly data: object | undefined
  readonly isError: boolean
  constructor(blocks: readonly Readonly<Record<string, unknown>>[], data?: object, isError = false) {
    this.blocks = blocks
    this.data = data
    this.isError = isError
  }
}
