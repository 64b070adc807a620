/** Returns browser and system as stated by the header. Order matters: most browsers claim to be several. */
export function browserName(userAgent: string): string {
  const browser = (/(Edg|OPR|FxiOS|CriOS)/.exec(userAgent) ?? /(Firefox|Chrome|Safari)/.exec(userAgent))?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS|CrOS|Linux)/.exec(userAgent)?.[1]
  const names: Readonly<Record<string, string>> = {
    Edg: 'Edge',
    OPR: 'Opera',
    FxiOS: 'Firefox',
    CriOS: 'Chrome',
    'Mac OS': 'macOS',
    CrOS: 'ChromeOS',
  }
  const known = [browser, system].filter(name => name !== undefined).map(name => names[name] ?? name)
  return known.length > 0 ? known.join(', ') : userAgent.slice(0, 60) || '?'
}
