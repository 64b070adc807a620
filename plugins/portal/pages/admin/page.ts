import { definePage, type AnyPage, type Page } from '../../page.ts'
import type { Language } from '../../language.ts'
import { adminTexts } from './texts.ts'

interface AdministrationPage<Data> extends Pick<Page<Data>, 'path' | 'forms' | 'load' | 'view' | 'wide'> {
  /** Its name in the menu and the title. */
  readonly name: 'users' | 'service' | 'jobs' | 'settings'
  /** Its place among the settings. */
  readonly rank: number
}

/** A page among the settings that only administrators can open; it uses the whole width unless `wide` is false. */
export function defineAdministrationPage<Data>({ name, rank, ...page }: AdministrationPage<Data>): AnyPage {
  return definePage({
    wide: true,
    ...page,
    name: (language: Language) => adminTexts(language)[name],
    menu: { place: 'settings', rank },
    administrators: true,
  })
}
