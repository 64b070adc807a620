import type { Figures } from './figures.ts'
import type { TrustPromise } from './promises.ts'
import type { Outcome } from './reporter.ts'

export interface Trust {
  readonly text: string
  /** Promises with a failed test, or without a test that ran. */
  readonly broken: readonly TrustPromise[]
}

/** A page: its introduction, and its promises by subject. */
export interface Page {
  readonly file: string
  readonly head: string
  /** Kind of its rows. */
  readonly column: 'promise' | 'task'
  readonly promises: Readonly<Record<string, readonly TrustPromise[]>>
}

/** Renders a page: every promise, its tests, their outcomes and their figures. */
export function renderTrust(
  { head, column, promises }: Pick<Page, 'head' | 'column' | 'promises'>,
  outcomes: readonly Outcome[],
  recorded: readonly { readonly promise: string; readonly figures: Figures }[],
): Trust {
  const broken: TrustPromise[] = []
  const columns = [column, ...(column === 'task' ? ['command'] : []), 'held by', 'tests passed', 'figures']
  const titles = `| ${columns.join(' | ')} |\n${'| --- '.repeat(columns.length)}|`
  const sections = Object.entries(promises).map(([subject, group]) => {
    const rows = group.map(promise => {
      const ran = outcomes.filter(({ name }) => matcher(promise.tests).test(name))
      const passed = ran.filter(({ outcome }) => outcome === 'passed').length
      if (passed === 0 || ran.some(({ outcome }) => outcome === 'failed')) broken.push(promise)
      const measured = recorded.filter(record => record.promise === promise.id).map(({ figures }) => describe(figures))
      const link = `[${promise.file.replace(/^test\//, '')}](${promise.file.replace(/^test\//, '')})`
      const command = promise.command === undefined ? '' : ` | \`${promise.command.replaceAll('|', '\\|')}\``
      return `| ${promise.text}${command} | ${link} | ${passed} of ${ran.length} | ${[...new Set(measured)].join('; ')} |`
    })
    return `## ${subject}\n\n${titles}\n${rows.join('\n')}\n`
  })
  return { text: `${head}\n${sections.join('\n')}`, broken }
}

const describe = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join(', ')

/** Makes a pattern for the test names that a piece of source generates; `${…}` in it stands for any text. */
export function matcher(source: string): RegExp {
  const parts = source.split(/\$\{[^}]*\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.join('.*'))
}
