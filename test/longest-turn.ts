/** Measures the longest turn of the event loop while work runs. @returns milliseconds of processor time */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const now = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let longest = 0
  let last = now()
  let running = true
  const watch = (): void => {
    longest = Math.max(longest, now() - last)
    last = now()
    if (running) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  running = false
  // The work may have ended within the longest turn.
  return Math.max(longest, now() - last)
}
