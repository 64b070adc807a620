import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProblems } from './dependencies/rules.ts'

test('the rules for dependencies find each kind of problem', () => {
  const integrity = 'sha512-AA=='
  const sound = { version: '1.0.0', integrity, license: '(MIT OR GPL-3.0)' }
  const problems = findProblems(
    { dependencies: { sound: '1.0.0', loose: '^1.0.0' }, devDependencies: { tagged: 'latest' } },
    {
      packages: {
        '': {},
        'node_modules/sound': sound,
        'node_modules/tool': { ...sound, dev: true, license: 'GPL-3.0', hasInstallScript: true },
        'node_modules/elsewhere': { ...sound, resolved: 'git+ssh://git@example.com/a.git#1' },
        'node_modules/unsigned': { license: 'MIT' },
        'node_modules/script': { ...sound, hasInstallScript: true },
        'node_modules/licence': { ...sound, license: 'GPL-3.0' },
        'node_modules/old': { ...sound, deprecated: 'use another' },
      },
    },
  )
  assert.deepEqual(problems, [
    'loose is not pinned to an exact version: ^1.0.0',
    'tagged is not pinned to an exact version: latest',
    'elsewhere comes from git+ssh://git@example.com/a.git#1, not from the registry',
    'unsigned has no sha512 checksum',
    'script runs a script at install',
    'licence has the licence GPL-3.0',
    'old is deprecated: use another',
  ])
})
