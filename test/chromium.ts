import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Where Chromium is: what CHROMIUM names, else the first on PATH. */
const executablePath =
  process.env['CHROMIUM'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap(folder => NAMES.map(name => join(folder, name)))
    .find(file => existsSync(file))

/** For the `skip` of tests that need a browser: why they cannot run here, or false. */
export const noChromium = executablePath === undefined && 'there is no Chromium on PATH, and CHROMIUM does not name one'

/** Starts Chromium without a window, and without anything that calls out. */
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
