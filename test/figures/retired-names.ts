import { sourcesOf } from './source.ts'

/** Former private names of this project, with the standard terms that replaced them. */
const RETIRED: Readonly<Record<string, RegExp>> = {
  ClientChannel: /\b(?:HostLine|ClientLine)\b/,
  EndpointContext: /\bDesk\b/,
  PostRequest: /\bIncoming\b/,
  ProtocolSession: /\bStanding\b/,
  RequestContext: /\bExchange\b/,
  'result-size-limit': /\bceiling\.ts\b/,
  toPublicError: /\btellable\b/,
  'PrincipalClaim, defineClaim': /\b(?:defineFact|factsChanged)\b/,
  ExtensionPoint: /\bwhereOn\b/,
  featureGuards: /\bgateKeepers\b/,
  toolCallObservers: /\b(?:callWatchers|CallWatcher)\b|watched-calls/,
  onEnabled: /\bresumed\b/,
  mutex: /\bturns\.ts\b/,
  preopen: /\b(?:ahead|early)\.ts\b/,
  writeWithoutTransaction: /\bwriteLoose\b/,
  'host-validation': /\baddressed\.ts\b/,
  'enforceBodyTimeout, enforceHeaderTimeout': /\b(?:bodiesWithin|headersWithin)\b/,
  requireUnchanged: /\b(?:requireFresh|checkFresh)\b|\bfresh\.ts\b/,
  formatError: /\btold\(/,
  readWithItem: /\breadBeside\b|\bbeside\.ts\b/,
  'allocateItem, allocateItems': /\b(?:openPlace|openRooms)\b/,
  'publishChanges, recordChanges': /\b(?:announce|tell)\(/,
  'repository.ts': /\/rows\.ts\b/,
  externalData: /\b(?:OutsideData|OutsideContext)\b/,
  'SeededRandom, EPSILON, DailySamples': /\b(?:Dice|HAIR)\b/,
  impediments: /\binTheWay\b/,
  'csrf, isSameOrigin': /\bisFromHere\b|\bproof\.ts\b/,
  'setFlash, consumeFlash': /\b(?:leaveNotice|takeNotice)\b/,
  'binary-quantization': /embedding\/code\.ts\b/,
  'module-boundaries': /\brooms\.test\.ts\b/,
  maintenance: /\bupkeep\b/i,
  administratorNotices: /\badministratorsTold\b/,
  'externalServices, ExternalService': /\boutsideServices\b|\bOutsideService\b/,
  notifyAccessMade: /\btellAccessMade\b/,
  SlotPool: /\bSlab\b/,
  'network-fault-host, host-pool, edge-case-arguments': /\b(?:severable-host|kept-hosts|odd-arguments)\b/,
}

/** Finds retired names in the code. */
export function findRetiredNames(): readonly string[] {
  const files = ['core', 'plugins', 'test']
    .flatMap(folder => sourcesOf(folder))
    .filter(({ path }) => !path.startsWith('test/figures'))
  return Object.entries(RETIRED).flatMap(([name, pattern]) => {
    const found = files.filter(({ path, text }) => pattern.test(text) || pattern.test(`/${path}`))
    return found.length === 0 ? [] : [`${name} (in ${found.length} files, ${found[0]!.path} first)`]
  })
}
