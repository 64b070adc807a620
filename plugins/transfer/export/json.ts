import type { ExportFormat } from './format.ts'

/** The name of the format in the file. */
export const JSON_FORMAT = 'tasuki-items'
const VERSION = 1

/** All data of items: one object, with one line per item. */
export const jsonFormat: ExportFormat = {
  extension: 'json',
  mediaType: 'application/json',
  begin: (_all, { title, at }) =>
    `{"format":"${JSON_FORMAT}","version":${VERSION},"title":${JSON.stringify(title)},"exported_at":"${at}","items":[`,
  write(_all, { parts, ...fields }, isFirst) {
    return `${isFirst ? '' : ','}\n${JSON.stringify({ ...fields, ...parts })}`
  },
  end: () => '\n]}\n',
}
