import { HostError, type All, type ReadContext } from 'tasuki/plugin'
import { summariesConfig } from '../config.ts'
import { summaryProviders, type SummaryProvider } from '../points.ts'

const opened = new WeakMap<All, SummaryProvider>()

/** Returns the configured provider, created once per host. @throws HostError for an unknown name */
export function providerOf(ctx: Pick<ReadContext, 'all' | 'config'>): SummaryProvider {
  let provider = opened.get(ctx.all)
  if (!provider) {
    provider = openProvider(ctx)
    opened.set(ctx.all, provider)
  }
  return provider
}

function openProvider(ctx: Pick<ReadContext, 'all' | 'config'>): SummaryProvider {
  const { provider: name } = ctx.config(summariesConfig)
  const sources = ctx.all(summaryProviders)
  const source = sources.find(each => each.name === name)
  if (source) return source.open(ctx)
  const known = sources.map(each => each.name).join(', ')
  throw new HostError(`config of plugin summaries: there is no provider "${name}"; known are ${known}`)
}
