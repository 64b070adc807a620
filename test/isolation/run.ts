// Runs the whole isolation matrix: `npm run isolation [-- options of node --test]`. TEST_ENGINE limits it to one database. `npm run
// isolation -- prove` reintroduces leaks, one after the other, and shows that the matrix finds each of them.
const isProof = process.argv[2] === 'prove'
if (isProof) process.argv.splice(2, 1)
process.env['ISOLATION'] = isProof ? 'prove' : 'whole'
if (isProof) process.env['TEST_ENGINE'] = 'pglite'
process.argv.push(`test/isolation/${isProof ? 'proof' : 'matrix'}.test.ts`, '--test-timeout=7200000')
await import('../run.ts')
