import type { Context } from '../../server/domain/context'
import { formsOf } from './forms'
import { only } from './only'
import { FakeRuntime, silentLog, silentMonitor } from './runtime'

/** Context of a test, with only these members: reading any other one, such as a store, throws. */
export function testContext(members: Partial<Context> = {}): Context {
  return only<Context>({
    runtime: new FakeRuntime(), monitor: silentMonitor, log: silentLog,
    forms: formsOf(), siteUrl: 'https://forms.example.com', files: undefined, texts: undefined, humanCheck: null, honeypot: '_gotcha',
    mail: { fromAddress: 'forms@example.com', fromName: 'Formbot', to: ['team@example.com'] },
    template: async () => ({ heading, fields }) => ({ html: heading, text: JSON.stringify(fields), isWhole: true }),
    policy: { baseMs: 5000, leaseMs: 30_000, retryForMs: 30 * 60_000 },
    cardDataMs: null, revocableMs: { forward: 0, spam: 0 },
    claimMs: 60_000, tellsErasures: true, tellsFailures: false, viewers: undefined, ...members,
  })
}
