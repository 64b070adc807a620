import { VERSION } from '../plugin/version.ts'

/** Runs `tasuki …`; without arguments it starts the service. @returns the exit code: 0 success, 1 failure, 2 usage error */
export async function main(argv: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  if (['version', '--version', '-v'].includes(argv[0] ?? '')) {
    process.stdout.write(`${VERSION}\n`)
    return 0
  }
  // Imported after the version, which needs none of them.
  const [{ dispatch }, { formatError }, { UsageError }, { closePreopened }] = await Promise.all([
    import('./dispatch.ts'),
    import('./format-error.ts'),
    import('./command-line.ts'),
    import('../db/pglite/preopen.ts'),
  ])
  try {
    return await dispatch(argv, variables)
  } catch (error) {
    process.stderr.write(`tasuki: ${formatError(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  } finally {
    await closePreopened()
  }
}
