import { expect, test } from 'vitest'
import { FormDiscordAdapter } from '../../../../server/platforms/discord/adapter'
import { FormGoogleChatAdapter } from '../../../../server/platforms/gchat/adapter'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { createTeamsAdapter } from '../../../../server/platforms/teams/adapter'
import { silentLog } from '../../../fakes/runtime'
import { memoryDrafts } from '../../../support/sqlite'

interface Rendering { formatConverter: { renderPostable: (message: { markdown: string }) => string } }

const logger = sdkLogger(silentLog)
const ADAPTERS: Readonly<Record<string, unknown>> = {
  'Discord': new FormDiscordAdapter(
    { botToken: 'x', publicKey: 'a'.repeat(64), applicationId: '1', channelId: '2' }, logger, async () => {
      throw new Error('Nothing is asked.')
    }, memoryDrafts(),
  ),
  'Google Chat': new FormGoogleChatAdapter({
    credentials: { client_email: 'bot@example.com', private_key: 'x' }, projectNumber: '123456', space: 'spaces/A',
    endpointUrl: 'https://forms.example.com/api/webhooks/gchat',
  }, logger, async () => false),
  'Teams': createTeamsAdapter({ appId: 'x', appPassword: 'x' }, logger),
}

const QUOTES = [
  ['lines', '> a\n> b', ['a', 'b']], ['paragraphs', '> a\n>\n> b', ['a', 'b']], ['a list', '> - a\n> - b', ['a', 'b']],
  ['code', '> ```\n> a\n> b\n> ```', ['a', 'b']], ['a quote', '> a\n>> b\n>> c', ['a', 'b', 'c']],
  ['lines within a list', '- x\n  > a\n  > b', ['a', 'b']],
] as const

test.each(Object.entries(ADAPTERS).flatMap(([name, adapter]) => QUOTES.map(([kind, ...quote]) => (
  [kind, name, adapter as Rendering, ...quote] as const
))))('a quote of %s is marked line by line on %s', (_what, _name, { formatConverter }, markdown, words) => {
  const text = formatConverter.renderPostable({ markdown: `Look:\n\n${markdown}\n\nSo.` })
  const lines = text.split('\n')
  const isIn = (line: string) => words.some(word => line.endsWith(word))
  expect(lines.filter(isIn)).toHaveLength(words.length)
  expect(lines.filter(line => isIn(line) && !/^[\s•-]*>/.test(line))).toEqual([])
  expect([lines[0], lines.at(-1)]).toEqual(['Look:', 'So.'])
})
