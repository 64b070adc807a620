import { Kind, Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import type { ReadContext, WriteContext } from './context.ts'
import type { All } from './point.ts'

/** R reads, W writes, WD writes destructively. */
export type ToolClass = 'R' | 'W' | 'WD'
export type ContextOf<C extends ToolClass> = C extends 'R' ? ReadContext : WriteContext

/** The schema of an object, or only its properties. */
export type ObjectSchema = TObject | TProperties
/** The object schema of an `ObjectSchema`. */
export type ObjectOf<S extends ObjectSchema> = S extends TObject ? S : S extends TProperties ? TObject<S> : never

export interface ToolSpec<C extends ToolClass, I extends ObjectSchema, O extends ObjectSchema> {
  /** `<noun>_<verb>`; also the name of its file. */
  readonly name: string
  readonly class: C
  /** Group for the selection in profiles; default: the plugin's. */
  readonly group?: string
  readonly title: string
  /** What the tool does, when to use another tool instead, and what it returns. */
  readonly summary: string
  /** Position in tools/list, lowest first; default 500, after the 40 tools of everyday work. Some clients truncate the list. */
  readonly rank?: number
  /** Parameters; each needs a description. Unknown ones are rejected unless the schema sets `additionalProperties`. */
  readonly input: I | ((all: All) => I)
  /** Hints by names that callers try although they are no parameters. */
  readonly misnomers?: Readonly<Record<string, string>>
  /** Omitted only by tools that return content blocks instead of data. */
  readonly output?: O | ((all: All) => O)
  /** Name of the output's array, which the host may truncate to keep the result within the size limit. */
  readonly rows?: string
  /** Name of the tool that reads whole what a row of `rows` has to omit because it alone exceeds the size limit. */
  readonly rowTool?: string
  /**
   * Shortens the long texts of a result that is larger than the size limit, and says how to read on. Tools that write and have none get a
   * warning in place of the rest of their long texts, because a write must not fail for the size of its answer.
   * @param most code points that each text may keep
   */
  readonly shorten?: (data: Static<ObjectOf<O>>, most: number, input: Static<ObjectOf<I>>) => Static<ObjectOf<O>>
  /** Feature switches of the owner that must be on. */
  readonly gates?: readonly string[]
  /** Plugins that must be enabled for this tool, in addition to the dependencies of its plugin. */
  readonly needs?: readonly string[]
  /**
   * Only for WD: returns the effect that the user has to agree to, for example `Delete 3 relations of APP#12`.
   * If the call would change nothing, returns its answer instead, and the user is not asked.
   * Returns null if the change needs no confirmation.
   */
  readonly confirm?: C extends 'WD'
    ? (ctx: ReadContext, input: Static<ObjectOf<I>>) => Confirmation<ObjectOf<O>>
    : never
  run(ctx: ContextOf<C>, input: Static<ObjectOf<I>>): Promise<Static<ObjectOf<O>> | Content>
}

/** The effect of a call in a sentence, or the answer of a call without effect. */
type Confirmation<O extends TObject> = Promise<Confirmed<O>> | Confirmed<O>
type Confirmed<O extends TObject> = string | Static<O> | Content | null

/** A tool as the host stores it, without the types of its declaration. */
export interface Tool extends Omit<ToolSpec<ToolClass, TObject, TObject>, 'confirm' | 'run' | 'shorten'> {
  readonly shorten?: (data: never, most: number, input: never) => object
  readonly confirm?: (ctx: ReadContext, input: never) => Promise<string | object | null> | string | object | null
  run(ctx: WriteContext, input: never): Promise<unknown>
}

/** A tool that other code can call, with the types of its declaration. */
export interface DefinedTool<C extends ToolClass, I extends TObject, O extends TObject> extends Omit<Tool, 'run'> {
  run(ctx: ContextOf<C>, input: Static<I>): Promise<Static<O> | Content>
}

/** Declares a tool; the types of its handler are inferred from its schemas. */
export function defineTool<const C extends ToolClass, I extends ObjectSchema, O extends ObjectSchema = TObject>(
  spec: ToolSpec<C, I, O>,
): DefinedTool<C, ObjectOf<I>, ObjectOf<O>> {
  const { input, output, ...rest } = spec
  if (!input) throw new TypeError(`tool ${spec.name} has no input; without parameters that is {}`)
  return { ...rest, input: toObject(input), ...(output && { output: toObject(output) }) }
}

function toObject(schema: ObjectSchema | ((all: All) => ObjectSchema)): TObject | ((all: All) => TObject) {
  const objectOf = (schemaOrProperties: ObjectSchema): TObject =>
    Kind in schemaOrProperties ? schemaOrProperties : Type.Object(schemaOrProperties)
  return typeof schema === 'function' ? all => objectOf(schema(all)) : objectOf(schema)
}

/** Content blocks of the protocol (text, image, audio, resource, resource_link), in addition to or instead of data. */
export class Content {
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  readonly data: object | undefined
  readonly isError: boolean
  constructor(
    blocks: readonly Readonly<Record<string, unknown>>[],
    data?: object,
    { isError = false }: { readonly isError?: boolean } = {},
  ) {
    this.blocks = blocks
    this.data = data
    this.isError = isError
  }
}
