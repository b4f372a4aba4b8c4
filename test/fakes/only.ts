/**
 * Double of a port with the members that a test needs. Reading any other member throws, so that the test fails if the
 * code uses more than expected.
 */
export function only<T extends object>(members: Partial<T>): T {
  return new Proxy(members, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || name === 'then') return Reflect.get(target, name)
      throw new Error(`This double has no ${name}.`)
    },
  }) as T
}
