/** Returns whether a command line has the option for help. */
export function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).some(word => word === '--help' || word === '-h')
}
