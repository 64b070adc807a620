import type { ClientAnswers, ClientRequest } from '../plugin/context.ts'
import { isObject } from './message.ts'

/** Returns the answers, or null if one is missing or invalid, so that the client has to be asked again. */
export function readAnswers(
  requests: Readonly<Record<string, ClientRequest>>,
  responses: Readonly<Record<string, unknown>>,
): ClientAnswers['answers'] | null {
  const answers: Record<string, Readonly<Record<string, unknown>>> = {}
  for (const [key, request] of Object.entries(requests)) {
    const answer = responses[key]
    if (!isValidAnswer(request, answer)) return null
    answers[key] = answer
  }
  return answers
}

/** Returns whether a client's answer has the shape that its request requires. */
export function isValidAnswer(request: ClientRequest, answer: unknown): answer is Readonly<Record<string, unknown>> {
  if (!isObject(answer)) return false
  switch (request.method) {
    case 'elicitation/create':
      if (answer['action'] === 'decline' || answer['action'] === 'cancel') return true
      if (answer['action'] !== 'accept') return false
      return request.params?.['mode'] === 'url' || isValidForm(request.params?.['requestedSchema'], answer['content'])
    case 'sampling/createMessage':
      return typeof answer['content'] === 'object' && answer['content'] !== null
    case 'roots/list':
      return Array.isArray(answer['roots'])
  }
}

/** Forms are flat objects of primitive values, so this check is sufficient. */
function isValidForm(schema: unknown, content: unknown): boolean {
  if (!isObject(schema) || !isObject(content)) return false
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  if (required.some(name => !(name in content))) return false
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(content).every(([name, value]) => {
    const property = properties[name]
    return !isObject(property) || isValidValue(property['type'], value)
  })
}

function isValidValue(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    default:
      return true
  }
}
