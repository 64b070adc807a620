import { compare, exists, expressions, negate, normalizeText, sql, type Condition } from 'tasuki/plugin'
import { access, isOfVisibleOwner, isOwnedBy, readKey, visible } from '../../projects/index.ts'
import { allOf, anyOf, nameFilter } from './filter.repository.ts'
import type { FilterContext, FilterTerm, ItemFilter } from './filter.ts'

/** Matches the key or the name of the project; the caller's own projects take precedence. `owner@example.com/KEY` matches exactly. */
export function isInProject(filter: FilterContext, term: FilterTerm): Condition {
  const isNamed = (values: FilterTerm['values'], alias: string): Condition =>
    anyOf(['key', 'name'].map(column => nameFilter(`${alias}.${column}`)(filter, { ...term, values })))
  const { ctx } = filter
  const isOwn = (alias: string): Condition => compare(`${alias}.owner_id`, '=', ctx.actor.userId)
  const isMeant = (value: FilterTerm['values'][number]): Condition => {
    if (isOfOwner(value)) {
      const { key, owner: email } = readKey(value.text)
      return allOf([compare('n.key', '=', key), isOwnedBy('n.owner_id', email!)])
    }
    const own = expressions<{ i: 'items.items' }>().selectFrom('projects.projects as o').select('o.id')
    const ownIsNamed = allOf([isOwn('o'), isNamed([value], 'o'), visible(ctx, 'o', 'id')])
    return allOf([isNamed([value], 'n'), anyOf([isOwn('n'), negate(exists(own.where(ownIsNamed)))])])
  }
  const isSimple = access(ctx).shared.length === 0 && !term.values.some(isOfOwner)
  const named = isSimple ? isNamed(term.values, 'n') : anyOf(term.values.map(isMeant))
  return isAmong('i.project_id', 'projects.projects', allOf([visible(ctx, 'n', 'id'), named]))
}

/** Returns a filter for a column of the item's state. @param filter the filter for this column of the alias `n` */
export function stateFilter(filter: ItemFilter['sql']): ItemFilter['sql'] {
  return (given, term) =>
    isAmong('i.state_id', 'workflows.states', allOf([isOfVisibleOwner(given.ctx, 'n'), filter(given, term)]))
}

/**
 * Returns the condition that a column is the id of one of the rows `n` for which a condition holds. They are read once, as an array: with
 * joins, the planner expects few items and may compare each one with all projects and states.
 */
function isAmong(column: string, table: string, condition: Condition): Condition {
  return sql<boolean>`${sql.ref(column)} = any(array(select n.id from ${sql.table(table)} n where ${condition}))`
}

function isOfOwner(
  value: FilterTerm['values'][number],
): value is Extract<FilterTerm['values'][number], { kind: 'name' }> {
  return value.kind === 'name' && /@.*\//.test(value.text)
}

/** Returns the condition that the owner is the caller, or has one of the email addresses. */
export function isOfOwners({ ctx }: FilterContext, term: FilterTerm): Condition {
  const mine = term.values.some(({ kind }) => kind === 'symbol')
  const emails = term.values.flatMap(value => (value.kind === 'name' ? [normalizeText(value.text).toLowerCase()] : []))
  const conditions = mine ? [compare('i.owner_id', '=', ctx.actor.userId)] : []
  return anyOf([...conditions, ...emails.map(email => isOwnedBy('i.owner_id', email))])
}
