import { expect, test } from 'vitest'
import { failing } from '../../../fakes/board'
import { ADA, openTriage } from '../../../fakes/triage'

test('the audit trail says what was decided, by whom and when, what failed or was taken back, and a given address', async () => {
  const { decide, mailer, outbox, post, runtime, store, sweep } = await openTriage({
    revocableMs: { forward: 0, spam: 60_000 },
  })
  const id = await post({ name: 'Lin' })
  const actTimes: number[] = []
  const perform = async (action: () => Promise<unknown>) => {
    runtime.time += 1000
    actTimes.push(runtime.time)
    await action()
    await runtime.drain()
  }
  await perform(() => decide({ id, action: 'spam' }))
  await perform(() => decide({ id, action: 'reopen' }))
  mailer.answers.push(failing('Refused.', { permanent: true }), failing('Down.'), { ok: true, value: 'm1' })
  await perform(() => decide({ id, action: 'edit', values: { f0: 'Grace' } }))
  await perform(() => decide({ id, action: 'forward' }))
  runtime.time += 60_000
  await sweep()
  await runtime.drain()
  await perform(() => outbox.apply(id, [{ type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }]))
  await perform(() => decide({ id, action: 'resend', to: 'grace@example.com' }))
  const [spamAt, revokedAt, , editedAt, , againAt] = actTimes
  const lines = (await store.audit(10)).map(({ outcome, at, reviewer, to }) => (
    [outcome, outcome === 'failed' ? null : at, reviewer, to]
  ))
  expect(lines).toEqual([
    ['edited', againAt, ADA, ['grace@example.com']], ['failed', null, ADA, undefined],
    ['edited', editedAt, ADA, undefined], ['failed', null, ADA, undefined],
    ['revoked', revokedAt, ADA, undefined], ['spam', spamAt, ADA, undefined],
  ])
})

test('the audit trail has no line of what was held and nobody looked at in time: nothing was decided', async () => {
  const { receive, runtime, store, sweep } = await openTriage()
  const id = await receive({ name: 'Lin' }, { held: true })
  runtime.time = (await store.get(id))!.expiresAt
  await sweep()
  await runtime.drain()
  expect([(await store.get(id))!.state, await store.audit(10)]).toEqual(['expired', []])
})
