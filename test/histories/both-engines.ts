import assert from 'node:assert/strict'
import { ToolFailure, type TestCaller } from 'tasuki/testing'

/** The answer of a call, or the code of its refusal, with ids and times replaced by their names. */
export interface Answer {
  readonly code: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer of any tool
  readonly result: any
}

/** Calls tools on hosts with different databases, and requires the same answers of both. */
export interface BothEngines {
  call(name: string, args: object): Promise<Answer>
  /** Requires that the call succeeds. @returns its result */
  // oxlint-disable-next-line typescript/no-explicit-any -- a result of any tool
  read(name: string, args: object): Promise<any>
  /** Number of calls, and of those that were refused. */
  readonly counts: { calls: number; refused: number }
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g
/** Codes of errors on which a caller cannot act. */
const FAULTS = new Set<string | null>(['internal', 'unavailable'])

export function bothEngines(callers: readonly TestCaller[]): BothEngines {
  // An id is named by the order in which the ids of a host appear, so that both hosts have the same names.
  const ids = callers.map(() => ({ names: new Map<string, string>(), ids: new Map<string, string>() }))
  const counts = { calls: 0, refused: 0 }
  const named = (value: unknown, host: number): string =>
    (JSON.stringify(value) ?? 'null')
      .replaceAll(ID, id => {
        const { names, ids: known } = ids[host]!
        const name = names.get(id) ?? `<id ${names.size}>`
        names.set(id, name)
        known.set(name, id)
        return name
      })
      .replaceAll(TIME, '<time>')
      .replaceAll(/"(next_cursor|confirm_token)":"[^"]*"/g, '"$1":"<token>"')
  const given = (args: object, host: number): object =>
    JSON.parse(JSON.stringify(args).replaceAll(/<id \d+>/g, name => ids[host]!.ids.get(name) ?? name)) as object
  const call = async (name: string, args: object): Promise<Answer> => {
    const answers = await Promise.all(
      callers.map(async (caller, n) => {
        try {
          return named({ code: null, result: await caller.call(name, given(args, n)) }, n)
        } catch (error) {
          if (!(error instanceof ToolFailure)) throw error
          return named({ code: error.code, result: error.message }, n)
        }
      }),
    )
    assert.equal(answers[0], answers[1], `${name} ${JSON.stringify(args)}`)
    const answer = JSON.parse(answers[0]!) as Answer
    assert.ok(!FAULTS.has(answer.code), `${name} ${JSON.stringify(args)}: ${answer.result}`)
    counts.calls++
    if (answer.code !== null) counts.refused++
    return answer
  }
  return {
    call,
    counts,
    async read(name, args) {
      const { code, result } = await call(name, args)
      assert.equal(code, null, `${name} ${JSON.stringify(args)}: ${JSON.stringify(result)}`)
      return result
    },
  }
}
