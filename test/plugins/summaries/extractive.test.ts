import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { summarize } from '../../../plugins/summaries/provider/extractive.ts'
import { sentencesOf } from '../../../plugins/summaries/provider/sentences.ts'

const LOGIN = [
  { kind: 'progress', body: 'Looked into the login bug. It happens only on Safari 17.' },
  { kind: 'fact', body: 'Safari drops the session cookie because SameSite=None needs the Secure attribute.' },
  { kind: 'progress', body: 'Tried a workaround with local storage. It did not work at all.' },
  { kind: 'decision', body: 'We set **Secure** on the session cookie and ship it in 2.4.' },
  { kind: 'progress', body: 'Deployed the Secure session cookie to staging.' },
] as const
const ログイン = [
  { kind: 'progress', body: 'ログインの不具合を調べました。Safariだけで起きます。' },
  { kind: 'fact', body: 'SafariはSecure属性のないクッキーを捨てます。' },
  { kind: 'decision', body: 'セッションクッキーにSecure属性を付けることに決めました。' },
] as const

describe('the extractive summary', () => {
  test('lists decisions first, then facts, then progress, in sentences of the discussions', () => {
    assert.match(
      summarize(LOGIN, 400),
      /^Decided: We set Secure on the session cookie and ship it in 2\.4\.\nKnown: Safari drops .*\nProgress: .*Deployed/,
    )
  })

  test('splits Japanese text and uses Japanese headings', () => {
    const summary = summarize(ログイン, 400)
    assert.match(summary, /^決定: セッションクッキーに.*\n事実: Safariは.*捨てます。\n進捗: /)
    assert.deepEqual(
      sentencesOf([ログイン[0]]).map(({ text }) => text),
      ['ログインの不具合を調べました。', 'Safariだけで起きます。'],
    )
  })

  test('keeps the decision in a short summary, however much progress there is', () => {
    const chatter = Array.from({ length: 60 }, (_, n) => ({
      kind: 'progress' as const,
      body: `The import of batch ${n} ran for an hour and then finished without errors.`,
    }))
    const decision = { kind: 'decision' as const, body: 'Customers get their data by export, not by import.' }
    assert.equal(
      summarize([...chatter.slice(0, 30), decision, ...chatter.slice(30)], 100),
      'Decided: Customers get their data by export, not by import.',
    )
  })

  test('repeats nothing', () => {
    const body = 'The release moves to Friday because of the audit.'
    assert.equal(
      summarize(
        [
          { kind: 'fact', body },
          { kind: 'fact', body },
        ],
        600,
      ),
      `Known: ${body}`,
    )
  })

  test('prefers later sentences', () => {
    const summary = summarize(
      [
        { kind: 'decision', body: 'The meeting about the budget takes place on Monday morning.' },
        { kind: 'decision', body: 'Release notes are written by the support team every week.' },
        { kind: 'decision', body: 'The meeting about the budget takes place on Thursday evening.' },
      ],
      75,
    )
    assert.doesNotMatch(summary, /Monday/)
  })

  test('leaves out code and Markdown syntax', () => {
    const body =
      '# Plan\n\n- [x] See [the guide](https://example.com/guide) for `cookies`\n\n```sh\nrm -rf everything\n```\n> ok'
    assert.deepEqual(
      sentencesOf([{ kind: 'fact', body }]).map(({ text }) => text),
      ['Plan', 'See the guide for cookies', 'ok'],
    )
    assert.equal(summarize([{ kind: 'fact', body: '12 + 30' }], 100), '12 + 30')
  })

  test('is within the limit, deterministic, and made of sentences of the input, for any input', () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.lorem({ maxCount: 30, mode: 'sentences' }),
      fc
        .array(fc.constantFrom('決定した。', 'クッキー', 'を付ける', '！', '\n', '```', 'Ship it. ', '[a](', '👩‍👩‍👧'), {
          maxLength: 60,
        })
        .map(parts => parts.join('')),
    )
    const discussion = fc.record({
      kind: fc.constantFrom('decision' as const, 'fact' as const, 'progress' as const),
      body,
    })
    fc.assert(
      fc.property(fc.array(discussion, { maxLength: 12 }), fc.integer({ min: 100, max: 700 }), (discussions, most) => {
        const summary = summarize(discussions, most)
        assert.ok(Array.from(summary).length <= most)
        assert.equal(summarize(discussions, most), summary)
        const sentences = sentencesOf(discussions).map(({ text }) => text)
        if (sentences.length > 0) {
          const first = summary
            .split('\n')[0]!
            .replace(/^[^:]+: /, '')
            .replace(/…$/, '')
          assert.ok(
            sentences.some(text => text.startsWith(first) || first.startsWith(text)),
            summary,
          )
        }
      }),
      { numRuns: 300 },
    )
  })

  test('takes moderate time for hostile input', () => {
    const hostile = [
      '['.repeat(32_000),
      '[a]('.repeat(8000),
      '```\n'.repeat(8000),
      '。'.repeat(32_000),
      'word. '.repeat(5000),
    ]
    const began = process.threadCpuUsage().user
    for (const body of hostile)
      summarize(
        Array.from({ length: 30 }, () => ({ kind: 'fact', body })),
        600,
      )
    const spent = (process.threadCpuUsage().user - began) / 1000
    assert.ok(spent < 5000, `${spent} ms`)
  })
})
