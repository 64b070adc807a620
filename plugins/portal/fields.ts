import { createHash } from 'node:crypto'
import { clip, normalizeText, type HostServices } from 'tasuki/plugin'
import type { PartTexts } from './ui/texts.ts'

/** Returns what is wrong with a value, in the user's language. */
export type Complaint = (texts: PartTexts['problems']) => string

/** Reads the values that a form posted under one name. */
export interface Field<T> {
  read(
    values: readonly string[],
    files: readonly UploadedFile[],
  ): { readonly value: T } | { readonly complaint: Complaint }
  /** For a text field: the maximum length in characters. */
  readonly max?: number
  /** A password, which no page shows again. */
  readonly secret?: boolean
  /** For a file field: the maximum size in bytes. */
  mostBytes?(services: Pick<HostServices, 'config'>): number
}

/** An uploaded file, in memory. */
export interface UploadedFile {
  /** File name from the browser: at most 200 characters, without folders. */
  readonly name: string
  readonly bytes: Buffer
  /** Set if the file was larger: it is truncated to this size in bytes. */
  readonly most?: number
}
export type Files = Readonly<Record<string, readonly UploadedFile[]>>
export type Fields = Readonly<Record<string, Field<unknown>>>
export type Input<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** Defines a field for trimmed text; empty text is rejected unless it is optional. Lengths count characters. */
export function text({ max, optional = false }: { readonly max: number; readonly optional?: boolean }): Field<string> {
  return {
    max,
    read([posted = '']) {
      const value = cleanText(posted)
      if (value === '' && !optional) return { complaint: texts => texts.missing }
      if (Array.from(value).length > max) return { complaint: texts => texts.tooLong(max) }
      return { value }
    },
  }
}

/** Returns a text as a text field stores it. */
export function cleanText(text: string): string {
  // PostgreSQL cannot store NUL characters.
  return text.replaceAll('\r\n', '\n').replaceAll('\0', '').trim()
}

/** Returns a text as a form carries what it showed: a long one as a digest, so that the form does not send it twice. */
export function shownText(text: string): string {
  const clean = cleanText(text)
  return clean.length > 1000 ? createHash('sha256').update(clean).digest('base64url') : clean
}

/** Returns the value of the hidden field `shown`. */
export function shownJson(values: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, text]) => [name, shownText(text)])))
}

/** Defines a field for a password, which stays unchanged. */
export function passwordField({ optional = false }: { readonly optional?: boolean } = {}): Field<string> {
  return {
    secret: true,
    read([value = '']) {
      if (value === '' && !optional) return { complaint: texts => texts.missing }
      // Prevents the hashing of overlong input.
      if (value.length > 1000) return { complaint: texts => texts.tooLong(1000) }
      return { value }
    },
  }
}

/** Defines a field for one of several words. */
export function singleChoice<const T extends readonly string[]>(words: T): Field<T[number]> {
  return {
    read([posted = '']) {
      return words.includes(posted) ? { value: posted } : { complaint: texts => texts.choose }
    },
  }
}

/** Defines a field for all ticked values of one name; the form validates them. */
export function multipleChoice(): Field<readonly string[]> {
  return { read: values => ({ value: values.filter(value => value !== '').slice(0, 500) }) }
}

/** Defines a checkbox. */
export function checkbox(): Field<boolean> {
  return { read: values => ({ value: values.length > 0 }) }
}

/** Defines a field for an integer. */
export function integer({ min, max }: { readonly min: number; readonly max: number }): Field<number> {
  return {
    read([posted = '']) {
      const plain = normalizeText(posted).trim()
      const value = Number(plain)
      if (plain === '') return { complaint: texts => texts.missing }
      if (!Number.isInteger(value) || value < min || value > max) return { complaint: texts => texts.between(min, max) }
      return { value }
    },
  }
}

/** Defines a field for a required file. The form is sent as `multipart/form-data`. */
export function file({
  most,
}: {
  readonly most: (services: Pick<HostServices, 'config'>) => number
}): Field<UploadedFile> {
  return {
    mostBytes: most,
    read(_values, [posted]) {
      if (!posted) return { complaint: texts => texts.noFile }
      if (posted.most !== undefined) return { complaint: texts => texts.fileTooLarge(posted.most!) }
      if (posted.bytes.length === 0) return { complaint: texts => texts.fileEmpty }
      const plain = posted.name
        .replace(/^.*[/\\]/s, '')
        .replaceAll(/\p{Cc}/gu, ' ')
        .toWellFormed()
        .trim()
      return { value: { ...posted, name: clip(plain, 200) || 'file' } }
    },
  }
}

/** The unparsed values of a form. */
export type Body = Readonly<Record<string, string | readonly string[]>>

/** Reads every field, and reports all problems together. */
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
  const posted = Object.hasOwn(body, name) ? body[name] : undefined
  return posted === undefined ? [] : typeof posted === 'string' ? [posted] : posted
}
