import type { Expr, Term, TermRange, TermValue } from '../../../../plugins/items/query/expr.ts'

/** Formats an expression so that parsing the text returns the same expression. */
export function printQuery(expr: Expr): string {
  switch (expr.kind) {
    case 'and':
      return expr.parts.map(part => printPart(part)).join(' ')
    case 'or':
      return expr.parts.map(part => (part.kind === 'or' ? `(${printQuery(part)})` : printQuery(part))).join(' OR ')
    case 'not':
      return `NOT ${printPart(expr.part)}`
    case 'term':
      return printTerm(expr)
    case 'word':
      return expr.text
    case 'phrase':
      return quote(expr.text)
  }
}

function printPart(part: Expr): string {
  return part.kind === 'and' || part.kind === 'or' ? `(${printQuery(part)})` : printQuery(part)
}

function printTerm({ key, op, values }: Term): string {
  return `${key}:${op === '=' ? '' : op}${values.map(printAlternative).join(',')}`
}

function printAlternative(value: TermValue | TermRange): string {
  if (value.kind === 'value') return printValue(value)
  return `${value.from ? printValue(value.from) : ''}..${value.to ? printValue(value.to) : ''}`
}

function printValue(value: TermValue): string {
  return value.quoted ? quote(value.text) : value.text
}

function quote(text: string): string {
  return `"${text.replace(/[\\"＂“”„‟]/g, '\\$&')}"`
}
