/** Returns the value that `make` made for the first call with the same key; values are collected with their keys. */
export function oncePer<K extends object, A extends readonly unknown[], V>(make: (key: K, ...args: A) => V) {
  const made = new WeakMap<K, V>()
  return (key: K, ...args: A): V => {
    if (!made.has(key)) made.set(key, make(key, ...args))
    return made.get(key)!
  }
}
