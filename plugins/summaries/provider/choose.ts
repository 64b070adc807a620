import { HostError, oncePer, type ReadContext } from 'tasuki/plugin'
import { summariesConfig } from '../config.ts'
import { summaryProviders, type SummaryProvider } from '../points.ts'

/** Returns the configured provider, created once per host. @throws HostError for an unknown name */
export const providerOf = (ctx: Pick<ReadContext, 'all' | 'config'>): SummaryProvider => opened(ctx.all, ctx)

const opened = oncePer((_all, ctx: Pick<ReadContext, 'all' | 'config'>): SummaryProvider => {
  const { provider: name } = ctx.config(summariesConfig)
  const sources = ctx.all(summaryProviders)
  const source = sources.find(each => each.name === name)
  if (source) return source.open(ctx)
  const known = sources.map(each => each.name).join(', ')
  throw new HostError(`config of plugin summaries: there is no provider "${name}"; known are ${known}`)
})
