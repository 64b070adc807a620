import { serialize } from 'pg-protocol'
import { readRow, createRowReader, type Field, type RowReader, type WireValue } from '../values.ts'

/** The part of node-postgres's connection that `submit` uses. */
interface Connection {
  /** Statement texts by name. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { readonly writable: boolean; write(bytes: Uint8Array): boolean }
}

export interface NamedResult {
  readonly command: string
  /** Null for commands whose tag has no number. */
  readonly rowCount: number | null
  readonly rows: Record<string, unknown>[]
}

const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()])
const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = serialize.execute()
const NO_ROWS = createRowReader([])

/** Caches the messages that run a text without values; there are few such texts. */
const messagesOf = new Map<string, Buffer>()
function runText(text: string): Buffer {
  let messages = messagesOf.get(text)
  if (!messages)
    messagesOf.set(text, (messages = Buffer.concat([serialize.parse({ text }), serialize.bind(), EXECUTE])))
  return messages
}

export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: WireValue[]
  /**
   * Statements to run first in the same message. Only for a statement that is already prepared, because node-postgres would take their
   * parse for its own.
   */
  readonly before: readonly string[]
}

/**
 * A prepared statement for `Client.query` of node-postgres, which accepts any object with `submit`.
 * It is parsed and described once per connection and sent as one message. node-postgres's own query describes each result again and
 * rebuilds the parsers, which takes longer than reading a row.
 */
export class NamedQuery {
  readonly name: string
  readonly text: string
  readonly #values: WireValue[]
  readonly #readers: Map<string, RowReader>
  readonly #done: (result: NamedResult) => void
  readonly #failed: (error: unknown) => void
  readonly #before: readonly string[]
  /** Number of commands that have not completed. */
  #commands: number
  #reader: RowReader | undefined
  readonly #rows: Record<string, unknown>[] = []
  #tag = ''
  #problem: { readonly error: unknown } | null = null

  /** @param readers row readers of the connection, by statement name */
  constructor(
    { name, text, values, before }: Statement,
    readers: Map<string, RowReader>,
    done: (result: NamedResult) => void,
    failed: (error: unknown) => void,
  ) {
    this.name = name
    this.text = text
    this.#values = values
    this.#before = before
    this.#commands = before.length + 1
    this.#readers = readers
    this.#reader = readers.get(name)
    this.#done = done
    this.#failed = failed
  }

  submit({ parsedStatements, stream }: Connection): void {
    const { name, text } = this
    const messages = [serialize.bind({ statement: name, values: this.#values })]
    if (parsedStatements[name] === undefined) messages.unshift(serialize.parse({ name, text }))
    if (!this.#reader) messages.push(DESCRIBE)
    messages.unshift(...this.#before.map(runText))
    messages.push(EXECUTE_AND_SYNC)
    // If the stream has ended, the client rejects all its queries itself.
    if (stream.writable) stream.write(Buffer.concat(messages))
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#reader = createRowReader(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#problem) return
    try {
      this.#rows.push(readRow(this.#reader!, fields))
    } catch (error) {
      // An exception here would close the connection while answers are pending.
      this.#problem = { error }
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (--this.#commands > 0) return
    this.#tag = text
    this.#readers.set(this.name, (this.#reader ??= NO_ROWS))
  }

  handleError(error: unknown): void {
    this.#failed(error)
  }

  handleReadyForQuery(): void {
    if (this.#problem) return this.#failed(this.#problem.error)
    const [command = '', ...numbers] = this.#tag.split(' ')
    const count = numbers.at(-1)
    this.#done({ command, rowCount: count === undefined ? null : Number(count), rows: this.#rows })
  }
}
