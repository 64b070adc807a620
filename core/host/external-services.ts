import { once } from 'node:events'
import type { ServiceState } from '../plugin/administration.ts'
import { externalServices } from '../plugin/host-points.ts'
import type { Registry } from '../runtime/registry/types.ts'

/** Checks all configured external services concurrently. @param limitMs timeout per service */
export function tryExternalServices(
  { all, config }: Pick<Registry, 'all' | 'config'>,
  limitMs: number,
): Promise<ServiceState['outside']> {
  const services = all(externalServices).flatMap(serviceOf => serviceOf({ all, config }) ?? [])
  return Promise.all(
    services.map(async ({ what, mend, attempt }) => {
      const began = performance.now()
      let problem: string | null = null
      let info: unknown
      try {
        const timeout = AbortSignal.timeout(limitMs)
        const refuse = () => Promise.reject(new Error(`no answer within ${limitMs / 1000} s`))
        info = await Promise.race([attempt(timeout), once(timeout, 'abort').then(refuse)])
      } catch (error) {
        problem = reasonOf(error)
      }
      return {
        what: typeof info === 'string' ? `${what}, ${info},` : what,
        mend,
        ms: Math.round(performance.now() - began),
        problem,
      }
    }),
  )
}

/** Returns the message of the innermost cause, which is the most specific. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.message || error.name
}
