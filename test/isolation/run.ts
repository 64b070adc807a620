// The whole isolation matrix: `npm run isolation [-- options of node --test]`. TEST_ENGINE limits it to one database.
process.env['ISOLATION'] = 'whole'
process.argv.push('test/isolation/matrix.test.ts', '--test-timeout=7200000')
await import('../run.ts')
