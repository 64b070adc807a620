import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Path of Chromium: the variable CHROMIUM, else the first on PATH. */
const executablePath =
  process.env['CHROMIUM'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap(folder => NAMES.map(name => join(folder, name)))
    .find(file => existsSync(file))

/** Value for `skip` of browser tests: the reason why they cannot run, or false. */
export const skipWithoutChromium =
  executablePath === undefined && 'there is no Chromium on PATH, and CHROMIUM does not name one'

/** Starts headless Chromium without background network requests. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
