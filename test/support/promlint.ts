interface Family { help?: string, type?: string, samples: string[] }

/** Units that Prometheus wants as base units instead: seconds, bytes, ratio … */
const NOT_BASE_UNITS = /_(?:milliseconds?|ms|microseconds?|nanoseconds?|minutes?|hours?|days?|kilobytes?|megabytes?|gigabytes?|kb|mb|gb|percent|bits)(?:_total|_sum|_count|_bucket)?$/

/**
 * Returns the complaints of `promtool check metrics`, by the same rules (https://prometheus.io/docs/practices/naming),
 * a line each.
 */
export function promlint(text: string): string[] {
  const families = new Map<string, Family>()
  const family = (name: string) => families.get(name) ?? families.set(name, { samples: [] }).get(name)!
  for (const line of text.split('\n').filter(Boolean)) {
    const [, what, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (what === 'HELP') family(name).help = rest
    else if (what === 'TYPE') family(name).type = rest
    else if (!line.startsWith('#')) {
      const sample = /^[^\s{]+/.exec(line)![0]
      const base = sample.replace(/_(?:bucket|sum|count)$/, '')
      family(families.has(base) ? base : sample).samples.push(line)
    }
  }
  return [...families].flatMap(([name, { help, type = 'untyped', samples }]) => [
    ...help?.trim() ? [] : ['has no help text'],
    ...type === 'untyped' ? ['has no type'] : [],
    ...type === 'counter' && !name.endsWith('_total') ? ['is a counter and does not end in _total'] : [],
    ...type !== 'counter' && name.endsWith('_total') ? ['ends in _total and is no counter'] : [],
    ...type !== 'histogram' && type !== 'summary' && /_(?:bucket|sum|count)$/.test(name)
      ? ['is named like a part of a histogram']
      : [],
    ...name.includes(':') ? ['has a colon, which is for recording rules'] : [],
    ...name !== name.toLowerCase() ? ['has capitals'] : [],
    ...name.split('_').includes(type) ? ['has its type in its name'] : [],
    ...NOT_BASE_UNITS.test(name) ? ['is not in a base unit'] : [],
    ...samples.some(sample => /[{,](?!le=|quantile=)[^=]*[A-Z][^=]*=/.test(sample))
      ? ['has a label with capitals']
      : [],
  ].map(complaint => `${name} ${complaint}`))
}
