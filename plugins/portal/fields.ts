import { clip, type HostServices } from 'tasuki/plugin'
import type { PartTexts } from './ui/texts.ts'

/** Says what is wrong with a value, in the language of the person. */
export type Complaint = (texts: PartTexts['problems']) => string

/** How the values that a form posted under one name are read. */
export interface Field<T> {
  read(
    values: readonly string[],
    files: readonly UploadedFile[],
  ): { readonly value: T } | { readonly complaint: Complaint }
  /** Of a field that takes a file: the most bytes of it. */
  mostBytes?(services: Pick<HostServices, 'config'>): number
}

/** A file as a form sent it, in memory. */
export interface UploadedFile {
  /** As the browser names it: at most 200 characters, without a folder. */
  readonly name: string
  readonly bytes: Buffer
  /** Where it had more bytes than this, the rest is missing. */
  readonly most?: number
}
export type Files = Readonly<Record<string, readonly UploadedFile[]>>
export type Fields = Readonly<Record<string, Field<unknown>>>
export type Input<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** A text without spaces at its ends; an empty one is refused unless it is optional. Lengths count characters. */
export function text({ max, optional = false }: { readonly max: number; readonly optional?: boolean }): Field<string> {
  return {
    read([given = '']) {
      const value = given.replaceAll('\r\n', '\n').trim()
      if (value === '' && !optional) return { complaint: texts => texts.missing }
      // PostgreSQL cannot keep a zero character.
      if (Array.from(value).length > max || value.includes('\0')) return { complaint: texts => texts.tooLong(max) }
      return { value }
    },
  }
}

/** A password, taken as it is. */
export function secret({ optional = false }: { readonly optional?: boolean } = {}): Field<string> {
  return {
    read([value = '']) {
      if (value === '' && !optional) return { complaint: texts => texts.missing }
      // Hashing a megabyte would be work for nothing.
      if (value.length > 1000) return { complaint: texts => texts.tooLong(1000) }
      return { value }
    },
  }
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(words: T): Field<T[number]> {
  return {
    read([given = '']) {
      return words.includes(given) ? { value: given } : { complaint: texts => texts.choose }
    },
  }
}

/** Everything that was ticked under one name; whether the values exist is for the form to see. */
export function several(): Field<readonly string[]> {
  return { read: values => ({ value: values.filter(value => value !== '').slice(0, 500) }) }
}

/** A box that is ticked or not. */
export function tick(): Field<boolean> {
  return { read: values => ({ value: values.length > 0 }) }
}

/** A whole number. */
export function integer({ min, max }: { readonly min: number; readonly max: number }): Field<number> {
  return {
    read([given = '']) {
      const plain = given.normalize('NFKC').trim()
      const value = Number(plain)
      if (plain === '') return { complaint: texts => texts.missing }
      if (!Number.isInteger(value) || value < min || value > max) return { complaint: texts => texts.between(min, max) }
      return { value }
    },
  }
}

/** A file that was chosen; an empty one is refused. The form is then sent as `multipart/form-data`. */
export function file({
  most,
}: {
  readonly most: (services: Pick<HostServices, 'config'>) => number
}): Field<UploadedFile> {
  return {
    mostBytes: most,
    read(_values, [given]) {
      if (!given) return { complaint: texts => texts.noFile }
      if (given.most !== undefined) return { complaint: texts => texts.fileTooLarge(given.most!) }
      if (given.bytes.length === 0) return { complaint: texts => texts.fileEmpty }
      const plain = given.name
        .replace(/^.*[/\\]/s, '')
        .replaceAll(/\p{Cc}/gu, ' ')
        .toWellFormed()
        .trim()
      return { value: { ...given, name: clip(plain, 200) || 'file' } }
    },
  }
}

/** What a form posted, as it came. */
export type Body = Readonly<Record<string, string | readonly string[]>>

/** Reads every field, and tells all that is wrong together. */
export function readFields<F extends Fields>(
  fields: F,
  { body, files }: { readonly body: Body; readonly files: Files },
  texts: PartTexts['problems'],
): { readonly input: Input<F> } | { readonly problems: Readonly<Record<string, string>> } {
  const input: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const [name, field] of Object.entries(fields)) {
    const found = field.read(valuesOf(body, name), files[name] ?? [])
    if ('value' in found) input[name] = found.value
    else problems[name] = found.complaint(texts)
  }
  return Object.keys(problems).length > 0 ? { problems } : { input: input as Input<F> }
}

export function valuesOf(body: Body, name: string): readonly string[] {
  const given = Object.hasOwn(body, name) ? body[name] : undefined
  return given === undefined ? [] : typeof given === 'string' ? [given] : given
}
