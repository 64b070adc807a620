import type { Log } from '../plugin/context.ts'
import type { ObservedCall } from '../mcp/observed-call.ts'
import type { ObservedJob } from '../runtime/observed-job.ts'

/** Logs one line per tool call: user, tool, outcome and duration, but no content. */
export function logCall(
  log: Log,
  { tool, requestId, userId, credentialId, outcome, ms, statements }: ObservedCall,
): void {
  const line = { reqId: requestId, tool, user: userId, credential: credentialId, outcome, ms: tenths(ms), statements }
  log.info(line, 'tool call')
}

/** Logs a job at level debug. Failed jobs have a separate log line with the error. */
export function logJob(log: Log, { job, outcome, ms, statements }: ObservedJob): void {
  log.debug({ job, outcome, ms: tenths(ms), statements }, 'job')
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10
