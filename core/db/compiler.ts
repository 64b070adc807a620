import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  RawNode,
  ReferenceNode,
  TableNode,
  ValueNode,
} from 'kysely'
import type { CompiledQuery, OperationNode, RootOperationNode, SchemableIdentifierNode } from 'kysely'

/** A statement as far as it has been followed; the steps from the first one to this are its parts. */
class Step {
  /** What comes next, by what it is. A template is its own key: its text never changes. */
  readonly next = new Map<unknown, Step>()
  /** Of the statement that ends here. */
  text: string | null = null
}

/** Statements are few; more steps than this come from text made for single calls, and are not worth their memory. */
const STEPS_MAX = 20_000
/** Lists differ in length from call to call. */
const VALUES_MAX = 100

let first = new Step()
let steps = 0

const VALUE = Symbol('value')
const REFERENCE = Symbol('reference')
const IDENTIFIER = Symbol('identifier')
const TABLE = Symbol('table')
const LITERAL = Symbol('literal')
const ALIAS = Symbol('alias')
const VALUES = Symbol('values')

/** The parts of conditions and of reads inside of them, in the order in which they are written. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  AggregateFunctionNode: ['func', 'distinct', 'aggregated', 'orderBy', 'filter'],
  AndNode: ['left', 'right'],
  BinaryOperationNode: ['leftOperand', 'operator', 'rightOperand'],
  CaseNode: ['value', 'when', 'else', 'isStatement'],
  CastNode: ['expression', 'dataType'],
  ColumnNode: ['column'],
  DataTypeNode: ['dataType'],
  FromNode: ['froms'],
  FunctionNode: ['func', 'arguments'],
  GroupByItemNode: ['groupBy'],
  GroupByNode: ['items'],
  JoinNode: ['joinType', 'table', 'on'],
  LimitNode: ['limit'],
  OffsetNode: ['offset'],
  OnNode: ['on'],
  OperatorNode: ['operator'],
  OrderByItemNode: ['orderBy', 'direction', 'nulls'],
  OrderByNode: ['items'],
  OrNode: ['left', 'right'],
  ParensNode: ['node'],
  SelectionNode: ['selection'],
  SelectQueryNode: ['selections', 'from', 'joins', 'where', 'groupBy', 'orderBy', 'limit', 'offset'],
  TupleNode: ['values'],
  UnaryOperationNode: ['operator', 'operand'],
  ValueListNode: ['values'],
  WhenNode: ['condition', 'result'],
  WhereNode: ['where'],
}

/**
 * Compiles as Kysely does, but a statement of the same parts only once: after that its parts are followed to the text that is kept, and
 * only the values are gathered. Putting the text of a read together and looking it up took a tenth of the time of the read.
 */
export class RememberingCompiler extends PostgresQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: CompiledQuery['queryId']): CompiledQuery {
    const values: unknown[] = []
    const last = RawNode.is(node) ? follow(node, first, values) : null
    if (last === null) return super.compileQuery(node, queryId)
    last.text ??= super.compileQuery(node, queryId).sql
    const compiled = { query: node, queryId, sql: last.text, parameters: values }
    if (steps > STEPS_MAX) {
      first = new Step()
      steps = 0
    }
    return compiled
  }
}

/**
 * Goes from a step over the parts of a node. Every node says first what it is and of how many parts, so that no two statements of different
 * text end at the same step.
 * @returns null for nodes that only Kysely knows to write, and where there are more values than one text is kept for
 */
function follow(node: OperationNode, from: Step, values: unknown[]): Step | null {
  if (RawNode.is(node)) return followRaw(node, from, values)
  if (ValueNode.is(node)) {
    const { value, immediate } = node
    if (immediate) return value instanceof Date ? null : over(over(from, LITERAL), value)
    return values.push(value) > VALUES_MAX ? null : over(from, VALUE)
  }
  if (ReferenceNode.is(node)) {
    const { table, column } = node
    if (!ColumnNode.is(column)) return null
    return over(overName(over(from, REFERENCE), table?.table), column.column.name)
  }
  if (TableNode.is(node)) return overName(over(from, TABLE), node.table)
  if (IdentifierNode.is(node)) return over(over(from, IDENTIFIER), node.name)
  if (AliasNode.is(node)) {
    const aliased = follow(node.node, over(from, ALIAS), values)
    return aliased && follow(node.alias, aliased, values)
  }
  if (PrimitiveValueListNode.is(node)) {
    values.push(...node.values)
    return values.length > VALUES_MAX ? null : over(over(from, VALUES), node.values.length)
  }
  return followParts(node, from, values)
}

function followParts(node: OperationNode, from: Step, values: unknown[]): Step | null {
  const parts = PARTS[node.kind]
  if (!parts) return null
  let step = over(from, parts)
  let rest = Object.keys(node).length - 1
  for (const name of parts) {
    const part = (node as Partial<Record<string, unknown>> & OperationNode)[name]
    if (name in node) rest--
    const next = Array.isArray(part) ? followList(part, step, values) : followPart(part, step, values)
    if (next === null) return null
    step = next
  }
  // A part that is not listed above would be missing from the text.
  return rest === 0 ? step : null
}

function followPart(part: unknown, from: Step, values: unknown[]): Step | null {
  return typeof part === 'object' && part !== null ? follow(part as OperationNode, from, values) : over(from, part)
}

function followList(list: readonly OperationNode[], from: Step, values: unknown[]): Step | null {
  let step: Step | null = over(from, list.length)
  for (const each of list) if ((step = follow(each, step, values)) === null) return null
  return step
}

function overName(from: Step, name: SchemableIdentifierNode | undefined): Step {
  return over(over(from, name?.schema?.name), name?.identifier.name)
}

function followRaw({ sqlFragments, parameters }: RawNode, from: Step, values: unknown[]): Step | null {
  const count = parameters.length
  if (count !== sqlFragments.length - 1) return null
  // Text made by `sql.raw` is new with every call, and so are the arrays of fragments around it and around a list.
  if (count === 0) return over(from, sqlFragments[0])
  const made = (sqlFragments as Partial<TemplateStringsArray>).raw === undefined
  let step: Step | null = over(from, made ? count : sqlFragments)
  for (let n = 0; n < count; n++) {
    if (made) step = over(step, sqlFragments[n])
    if ((step = follow(parameters[n]!, step, values)) === null) return null
  }
  return made ? over(step, sqlFragments[count]) : step
}

function over(from: Step, key: unknown): Step {
  let step = from.next.get(key)
  if (step === undefined) {
    from.next.set(key, (step = new Step()))
    steps++
  }
  return step
}
