import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import {
  errorOf,
  legacy,
  modern,
  modernHeaders,
  modernMeta,
  plain,
  resultOf,
  rpc,
  send,
  startDemo,
  withoutHeader,
} from './stub.ts'
import type { Demo, Post } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.app.close())

const PV = 'io.modelcontextprotocol/protocolVersion'

interface Row {
  readonly case: string
  readonly post: Post
  readonly status: number
  /** JSON-RPC error code; absent if a result is expected. */
  readonly code?: number
  readonly message?: string
}

const ROWS: readonly Row[] = [
  // Malformed and foreign messages.
  { case: 'no JSON', post: plain('{"jsonrpc":'), status: 400, code: -32700 },
  { case: 'an empty body', post: plain(''), status: 400, code: -32700, message: 'Parse error: The body is empty' },
  { case: 'a number', post: plain('7'), status: 400, code: -32600 },
  { case: 'no jsonrpc member', post: plain('{"id":1,"method":"ping"}'), status: 400, code: -32600 },
  { case: 'a null id', post: plain('{"jsonrpc":"2.0","id":null,"method":"ping"}'), status: 400, code: -32600 },
  { case: 'a fractional id', post: plain('{"jsonrpc":"2.0","id":1.5,"method":"ping"}'), status: 400, code: -32600 },
  { case: 'an object as id', post: plain('{"jsonrpc":"2.0","id":{},"method":"ping"}'), status: 400, code: -32600 },
  {
    case: 'params as a list',
    post: plain('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'),
    status: 400,
    code: -32600,
  },
  { case: 'a method that is a number', post: plain('{"jsonrpc":"2.0","id":1,"method":5}'), status: 400, code: -32600 },
  {
    case: 'a __proto__ member',
    post: plain('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'),
    status: 400,
    code: -32700,
  },
  {
    case: 'a tree of 100,000 lists',
    post: plain(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`),
    status: 400,
    code: -32700,
  },
  { case: 'text/plain', post: plain(rpc('ping'), { 'content-type': 'text/plain' }), status: 415, code: 415 },
  {
    case: 'JSON with a charset',
    post: plain(rpc('ping'), { 'content-type': 'application/json; charset=utf-8' }),
    status: 200,
  },
  { case: 'a body above the limit', post: plain(rpc('ping', { x: 'x'.repeat(2_100_000) })), status: 413, code: 413 },
  { case: 'Accept */*', post: plain(rpc('ping'), { accept: '*/*' }), status: 200 },
  { case: 'Accept application/json alone', post: plain(rpc('ping'), { accept: 'application/json' }), status: 200 },
  { case: 'Accept text/html', post: plain(rpc('ping'), { accept: 'text/html' }), status: 406, code: 406 },
  // Versions.
  ...['2030-01-01', '2024-11-05', 'abc'].map(header => ({
    case: `the version header ${header}`,
    post: legacy(header, 'tools/list'),
    status: 400,
    code: -32022,
  })),
  { case: 'a modern header without _meta', post: legacy('2026-07-28', 'tools/list'), status: 400, code: -32602 },
  // Methods.
  ...['2025-03-26', '2025-06-18', '2025-11-25'].flatMap(revision => [
    { case: `ping in ${revision}`, post: legacy(revision, 'ping'), status: 200 },
    { case: `an unknown method in ${revision}`, post: legacy(revision, 'nope/nope'), status: 200, code: -32601 },
    { case: `server/discover in ${revision}`, post: legacy(revision, 'server/discover'), status: 200, code: -32601 },
    // Its idempotency key would be ignored silently.
    ...['{"idempotencyKey":"k"}', [], 5].map(_meta => ({
      case: `_meta ${JSON.stringify(_meta)} in ${revision}`,
      post: legacy(revision, 'tools/call', { name: 'note_create', arguments: { title: 'x' }, _meta }),
      status: 200,
      code: -32602,
    })),
    { case: `_meta null in ${revision}`, post: legacy(revision, 'ping', { _meta: null }), status: 200 },
    {
      case: `an unknown tool in ${revision}`,
      post: legacy(revision, 'tools/call', { name: 'nope' }),
      status: 200,
      code: -32602,
    },
    {
      case: `an unknown resource in ${revision}`,
      post: legacy(revision, 'resources/read', { uri: 'demo://nope' }),
      status: 200,
      code: -32002,
    },
    {
      case: `an unknown prompt in ${revision}`,
      post: legacy(revision, 'prompts/get', { name: 'nope' }),
      status: 200,
      code: -32602,
    },
    {
      case: `a cursor in ${revision}`,
      post: legacy(revision, 'tools/list', { cursor: 'x' }),
      status: 200,
      code: -32602,
    },
    {
      case: `resources/subscribe in ${revision}, which is not offered`,
      post: legacy(revision, 'resources/subscribe', { uri: 'demo://about' }),
      status: 200,
      code: -32601,
    },
  ]),
  { case: 'initialize without a version', post: plain(rpc('initialize', {})), status: 200, code: -32602 },
  { case: 'a log level', post: legacy('2025-11-25', 'logging/setLevel', { level: 'error' }), status: 200 },
  {
    case: 'a log level that does not exist',
    post: legacy('2025-11-25', 'logging/setLevel', { level: 'loud' }),
    status: 200,
    code: -32602,
  },
  {
    case: 'a tool name that is a number',
    post: legacy('2025-11-25', 'tools/call', { name: 5 }),
    status: 200,
    code: -32602,
  },
  {
    case: 'arguments that are a list',
    post: legacy('2025-11-25', 'tools/call', { name: 'echo', arguments: [] }),
    status: 200,
    code: -32602,
  },
  {
    case: 'arguments that are text',
    post: legacy('2025-11-25', 'tools/call', { name: 'echo', arguments: '{}' }),
    status: 200,
    code: -32602,
    message: 'Invalid params: arguments must be an object, without quotes around it',
  },
  {
    case: 'a prompt without its argument',
    post: legacy('2025-11-25', 'prompts/get', { name: 'plan_day' }),
    status: 200,
    code: -32602,
  },
  { case: 'a completion of nothing', post: legacy('2025-11-25', 'completion/complete', {}), status: 200, code: -32602 },
  // Sessions.
  {
    case: 'a session that does not exist',
    post: plain(rpc('ping'), { 'mcp-session-id': 'zzz' }),
    status: 404,
    code: 404,
  },
  {
    case: 'a session id on a modern request, which is ignored',
    post: modern('tools/list', {}, { 'mcp-session-id': 'zzz' }),
    status: 200,
  },
  // 2026-07-28.
  { case: 'server/discover', post: modern('server/discover'), status: 200 },
  { case: 'tools/list', post: modern('tools/list'), status: 200 },
  ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nope/nope'].map(method => ({
    case: `${method} in 2026-07-28`,
    post: modern(method),
    status: 404,
    code: -32601,
  })),
  { case: 'no Mcp-Method', post: withoutHeader(modern('tools/list'), 'mcp-method'), status: 400, code: -32020 },
  {
    case: 'no version header',
    post: withoutHeader(modern('tools/list'), 'mcp-protocol-version'),
    status: 400,
    code: -32020,
  },
  {
    case: 'no Mcp-Name',
    post: withoutHeader(modern('tools/call', { name: 'echo' }), 'mcp-name'),
    status: 400,
    code: -32020,
  },
  {
    case: 'another Mcp-Name',
    post: modern('tools/call', { name: 'echo' }, { 'mcp-name': 'boom' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'Mcp-Name in another case',
    post: modern('tools/call', { name: 'echo' }, { 'mcp-name': 'ECHO' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'another Mcp-Method',
    post: modern('tools/list', {}, { 'mcp-method': 'tools/call' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'another version in the header',
    post: modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'an encoded Mcp-Name',
    post: modern('resources/read', { uri: 'demo://notes/1' }, { 'mcp-name': `=?base64?${btoa('demo://notes/1')}?=` }),
    status: 200,
  },
  {
    case: 'a badly encoded Mcp-Name',
    post: modern('resources/read', { uri: 'demo://notes/1' }, { 'mcp-name': '=?base64?*?=' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'no capabilities in _meta',
    post: { body: rpc('tools/list', { _meta: { [PV]: '2026-07-28' } }), headers: modernHeaders('tools/list') },
    status: 400,
    code: -32602,
  },
  {
    case: 'a version in _meta that is not served',
    post: {
      body: rpc('tools/list', { _meta: modernMeta({}, { [PV]: '2099-01-01' }) }),
      headers: { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2099-01-01' },
    },
    status: 400,
    code: -32022,
  },
  {
    case: 'a legacy version in _meta',
    post: {
      body: rpc('tools/list', { _meta: modernMeta({}, { [PV]: '2025-11-25' }) }),
      headers: { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2025-11-25' },
    },
    status: 400,
    code: -32022,
  },
  { case: 'an unknown tool in 2026-07-28', post: modern('tools/call', { name: 'nope' }), status: 200, code: -32602 },
  {
    case: 'an unknown resource in 2026-07-28',
    post: modern('resources/read', { uri: 'demo://nope' }),
    status: 200,
    code: -32602,
  },
  {
    case: 'a resource that its plugin does not find',
    post: modern('resources/read', { uri: 'demo://notes/0' }),
    status: 200,
    code: -32602,
  },
  {
    case: 'a header that repeats an argument',
    post: modern(
      'tools/call',
      { name: 'region_get', arguments: { region: 'eu', level: 42 } },
      { 'mcp-param-region': 'eu', 'mcp-param-level': '42.0' },
    ),
    status: 200,
  },
  {
    case: 'a parameter without its header',
    post: modern('tools/call', { name: 'region_get', arguments: { region: 'eu' } }),
    status: 400,
    code: -32020,
  },
  {
    case: 'a header that contradicts its parameter',
    post: modern('tools/call', { name: 'region_get', arguments: { region: 'eu' } }, { 'mcp-param-region': 'us' }),
    status: 400,
    code: -32020,
  },
  {
    case: 'a header without its parameter',
    post: modern('tools/call', { name: 'region_get', arguments: {} }, { 'mcp-param-region': 'us' }),
    status: 400,
    code: -32020,
  },
]

describe('the wire', () => {
  for (const row of ROWS) {
    verifies(
      ['endpoint.ping', 'endpoint.tools_list_request', 'revisions.stateless_meta'],
      `${row.case} → ${row.status}${row.code === undefined ? '' : ` ${row.code}`}`,
      async () => {
        const response = await send(demo.app, row.post)
        assert.equal(response.statusCode, row.status, response.body)
        if (row.code === undefined) assert.ok(resultOf(response))
        else assert.equal(errorOf(response).code, row.code)
        if (row.message !== undefined) assert.equal(errorOf(response).message, row.message)
      },
    )
  }
})
