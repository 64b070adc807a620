import type { Figures } from './figures.ts'
import type { TrustPromise } from './promises.ts'
import type { Outcome } from './reporter.ts'

export interface Trust {
  readonly text: string
  /** Promises of which a test failed, or none ran. */
  readonly broken: readonly TrustPromise[]
}

/** Writes test/TRUST.md: every promise, the tests that hold it, how they ended, and what they measured. */
export function renderTrust(
  promises: Readonly<Record<string, readonly TrustPromise[]>>,
  outcomes: readonly Outcome[],
  recorded: readonly { readonly promise: string; readonly figures: Figures }[],
): Trust {
  const broken: TrustPromise[] = []
  const sections = Object.entries(promises).map(([subject, group]) => {
    const rows = group.map(promise => {
      const ran = outcomes.filter(({ name }) => matcher(promise.tests).test(name))
      const passed = ran.filter(({ outcome }) => outcome === 'passed').length
      if (passed === 0 || ran.some(({ outcome }) => outcome === 'failed')) broken.push(promise)
      const measured = recorded.filter(record => record.promise === promise.id).map(({ figures }) => describe(figures))
      const link = `[${promise.file.replace(/^test\//, '')}](${promise.file.replace(/^test\//, '')})`
      return `| ${promise.text} | ${link} | ${passed} of ${ran.length} | ${[...new Set(measured)].join('; ')} |`
    })
    return `## ${subject}\n\n| promise | held by | tests passed | figures |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return { text: `${HEAD}\n${sections.join('\n')}`, broken }
}

const HEAD = `# Trust

What the service promises, the tests that hold it, and what they measured. Written by \`npm run trust\`, which runs these tests on both databases; [SECURITY.md](../SECURITY.md) has the model of threats.
`

const describe = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join(', ')

/** Finds test names that a piece of source makes; `${…}` in it stands for any text. */
export function matcher(source: string): RegExp {
  const parts = source.split(/\$\{[^}]*\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.join('.*'))
}
