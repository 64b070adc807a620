import { Type } from '@sinclair/typebox'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { HostError } from '../../plugin/errors.ts'
import { PACKAGE_FOLDER, VERSION } from '../../plugin/version.ts'
import { localCommand } from './local-command.ts'

/** A working plugin named `example`. It is not compiled, so the package contains its sources. */
const TEMPLATE = join(PACKAGE_FOLDER, 'core/cli/plugin-template')
/** Renamed in the template, because a nested package.json or tsconfig.json could not resolve imports of the host. */
const TEMPLATE_FILE = /^(package|tsconfig)\.template\.json$/

export const pluginNew = localCommand({
  name: 'plugin new',
  summary:
    'Write a working plugin with three tools, an entity, a repository, a migration and a test, into a new folder.',
  args: Type.Object({
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,40}$',
      description: 'Its name: also its folder, its database schema and the prefix of its tool names.',
    }),
  }),
  positional: ['name'],
  async run(_env, { name }) {
    const folder = resolve(name)
    const existing = await readdir(folder).catch(() => [])
    if (existing.length > 0) throw new HostError(`the folder ${folder} is not empty; choose another name or place`)
    const files = (await readdir(TEMPLATE, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(entry => relative(TEMPLATE, join(entry.parentPath, entry.name)))
    for (const file of files.sort()) {
      const target = join(folder, renameTemplate(file.replace(TEMPLATE_FILE, '$1.json'), name))
      await mkdir(dirname(target), { recursive: true })
      const text = renameTemplate(await readFile(join(TEMPLATE, file), 'utf8'), name)
      // The path of this installation, because a package of the same name in a registry may be a different one.
      await writeFile(target, text.replace('FOLDER_OF_TASUKI', relative(folder, PACKAGE_FOLDER)))
    }
    // A plugin uses the compiled files of the package, which a checkout does not have.
    const isCheckout = existsSync(join(PACKAGE_FOLDER, 'tsconfig.json'))
    const build = isCheckout ? `  npm --prefix ${relative(process.cwd(), PACKAGE_FOLDER) || '.'} run build\n` : ''
    process.stdout.write(
      `Wrote the plugin ${name} to ${folder}. Next:\n\n${build}  cd ${name}\n  npm install\n  npm test\n\nSee README.md in that folder.\n`,
    )
  },
})

/** Replaces the template's name by the plugin's name; package names have dashes. */
function renameTemplate(text: string, name: string): string {
  const pascal = name.replace(/(^|_)([a-z0-9])/g, (_match, _gap, letter: string) => letter.toUpperCase())
  return text
    .replaceAll('tasuki-example', `tasuki-${name.replaceAll('_', '-')}`)
    .replaceAll('Example', pascal)
    .replaceAll('example', name)
    .replaceAll('"tasuki": "^0.1.0"', `"tasuki": "^${VERSION}"`)
}
