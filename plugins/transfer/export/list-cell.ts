/** Encodes names in one cell, separated by commas; names with a comma, a quote or surrounding spaces are quoted. */
export const listCell = {
  write: (names: readonly string[]): string =>
    names.map(name => (/[",\r\n]|^\s|\s$|^$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(', '),
  read: (text: string): string[] => {
    const names: string[] = []
    for (let at = 0; at < text.length;) {
      const [all, quoted, plain = ''] = /[ ]*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/y.exec(text.slice(at)) ?? [
        text.slice(at),
      ]
      names.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
      at += all.length
    }
    return names.filter(name => name !== '')
  },
}
