import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { callsToConfirm } from '../refused-calls.ts'
import type { Agent } from './agent.ts'
import { cell, confirmToken, type Row, type Target } from './matrix.ts'
import { isNameOf, startScriptedModel } from './scripted-model.ts'

/** Answers that the client passed to its model, in the order of the calls. */
interface Heard {
  readonly created: string
  readonly refusals: readonly string[]
  readonly questions: readonly string[]
  readonly confirmed: readonly string[]
}

/**
 * Lets an agent run one conversation to its end. The model creates an item, makes one call of each tool that the service refuses, one call
 * of each tool that asks for confirmation, and repeats the latter with their confirm tokens.
 * @param folder parent of the folders of the program
 */
export async function checkAgent(agent: Agent, target: Target, folder: string): Promise<Row> {
  const { url, token, direct, tools, refused } = target
  const { name } = agent
  const asking = await callsToConfirm(direct.call)
  const title = `From ${name}`
  const hear = (answers: readonly string[]): Heard => {
    const questions = 1 + refused.length
    return {
      created: answers[0] ?? '',
      refusals: answers.slice(1, questions),
      questions: answers.slice(questions, questions + asking.length),
      confirmed: answers.slice(questions + asking.length),
    }
  }
  const model = await startScriptedModel(answers => {
    const { questions, confirmed } = hear(answers)
    if (answers.length === 0) return [{ tool: 'items_create', args: { project_key: 'INBOX', title } }, ...refused]
    if (questions.length === 0) return asking
    const again = asking.flatMap(({ tool, args }, index) => {
      const found = confirmToken(questions[index]!)
      return found === undefined ? [] : [{ tool, args: { ...args, confirm_token: found } }]
    })
    return confirmed.length === 0 && again.length > 0 ? again : 'It is done.'
  })
  const home = mkdtempSync(join(folder, 'agent-'))
  const connects = await cell(`${name} connects`, async () => {
    await agent.converse({ url, token, model: model.origin, folder: home })
    assert.ok(model.offered.length > 0, 'it offered its model no tool of the service')
    return 'yes'
  })
  await model.close()
  const { created, refusals, questions, confirmed } = hear(model.answers)
  return {
    client: name,
    revision: target.revision(),
    connects,
    lists: await cell(`${name} lists`, () => {
      const names = model.offered.filter(offered => refused.some(({ tool }) => isNameOf(tool, offered)))
      assert.equal(names.length, tools)
      return String(tools)
    }),
    writes: await cell(`${name} writes`, () => {
      assert.ok(flat(created).includes(`"title":"${title}"`), created)
      return 'yes'
    }),
    'refusal kept': await cell(`${name} keeps refusals`, () => {
      // Some clients validate arguments against the schema; the service can refuse only the calls that they send.
      const own = refused.filter((call, index) => {
        const text = refusals[index] ?? ''
        if (flat(text).includes(flat(call.text))) return false
        assert.ok('nowhere' in call.args && /additional properties/.test(text), `${call.tool}: ${text}`)
        return true
      })
      const kept = `${refused.length - own.length} of ${tools - own.length}`
      return own.length > 0 ? `${kept}, ${own.length} its own` : kept
    }),
    confirms: await cell(`${name} confirms`, () => {
      // Without a terminal, the user of a client that asks cannot answer.
      if (questions.every(text => /"code":"confirmation_required".*"hint":.*"declined":true/.test(flat(text))))
        return `${questions.length} declined`
      for (const [index, { tool }] of asking.entries()) {
        const text = flat(questions[index] ?? '')
        assert.match(text, /"code":"confirmation_required".*"hint":"Ask the user/, tool)
        assert.doesNotMatch(flat(confirmed[index] ?? '"error":'), /"error":/, tool)
      }
      return String(confirmed.length)
    }),
    'signs in': agent.signIn ? await cell(`${name} signs in`, () => agent.signIn!(target, folder)) : 'token',
  }
}

/** Some clients wrap the JSON of an answer in JSON of their own. */
const flat = (text: string): string => text.replaceAll('\\', '')
