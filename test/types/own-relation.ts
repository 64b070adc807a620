import type { Insertable } from 'kysely'
import { belongsTo, defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'

/** A table of a plugin that refers to another one of the same plugin, as plugins/README.md describes it. The compiler checks it. */
const Customer = defineTable('crm.customers', { properties: { ...ownedKey, name: p.text() } })
const Contact = defineTable('crm.contacts', {
  properties: { ...ownedKey, name: p.text(), customer: () => belongsTo(Customer, 'customer_id') },
})
const entities = [Customer, Contact] as const
type Contacts = TablesOf<'crm', typeof entities>['crm.contacts']

void ({ name: 'Ann', customer_id: '0198b000-0000-7000-8000-000000000001' } satisfies Partial<Insertable<Contacts>>)
