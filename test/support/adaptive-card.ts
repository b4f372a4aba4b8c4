import { Buffer } from 'node:buffer'
import type * as AdaptiveCards from 'adaptivecards'
// @ts-expect-error The modules that the package names first need a bundler; its bundle has no types.
import bundle from 'adaptivecards/dist/adaptivecards.min.js'
import { broken, strangers } from './rules'

// Adaptive Cards JSON as received; the validator checks its shape.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>

const { AdaptiveCard, SerializationContext } = bundle as typeof AdaptiveCards

/** Required properties: Teams shows nothing without them, but Microsoft's parser accepts their absence. */
const NEEDED: Readonly<Record<string, string>> = {
  TextBlock: 'text', TextRun: 'text', RichTextBlock: 'inlines', Container: 'items', Image: 'altText',
  ActionSet: 'actions',
}

/** Returns the reasons why Teams would refuse the card, or show only part of it. */
export function adaptiveCardProblems(card: Json): string[] {
  const elements = (card.body as Json[]).flatMap(each => [each, ...(each.inlines ?? []) as Json[]])
  return [
    ...broken({
      'a version that Teams does not know': !/^1\.[0-5]$/.test(card.version),
      'more than 40,000 bytes': Buffer.byteLength(JSON.stringify(card)) > 40_000,
    }),
    ...elements.flatMap(elementProblems), ...adaptiveCardActions(card).flatMap(actionProblems), ...undescribed(card),
  ]
}

/** Omits default values, which the parser omits too, and properties that only Teams knows. */
const withoutDefaults = (key: string, value: unknown) => (
  key === 'msteams' || [false, '', 'compact'].includes(value as string) || (Array.isArray(value) && value.length === 0)
    ? undefined
    : value
)

/** Returns the parts of a card that Microsoft's own parser rejects or ignores. */
export function undescribed(json: Json): string[] {
  const card = new AdaptiveCard()
  const context = new SerializationContext()
  card.parse(json, context)
  const events = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index))
  return [
    ...[...events, ...card.validateProperties().validationEvents].map(({ message }) => message),
    ...strangers(JSON.parse(JSON.stringify(json, withoutDefaults)), card.toJSON()),
  ]
}

const MOMENT = /\{\{DATE\(([\dT:-]+Z), SHORT\)\}\} (?=\{\{TIME\(\1\))|\{\{TIME\([\dT:-]+Z\)\}\}/g

function elementProblems({ type, text, isSubtle, actions, value, maxLength, ...more }: Json): string[] {
  const isRun = type === 'TextRun'
  return broken({
    [`${type} without ${NEEDED[type]}`]: type in NEEDED && ({ text, actions, ...more })[NEEDED[type]!] === undefined,
    'not 1 to 6 actions': actions && (actions.length < 1 || actions.length > 6),
    'an input that holds more than it may': maxLength && value?.length > maxLength,
    // Notes may contain times that the client formats. Texts from the form must not.
    'a run that the client would evaluate': isRun
      && /\{\{(?:DATE|TIME)\(/i.test(isSubtle ? text.replace(MOMENT, '') : text),
    'text that is not well-formed': isRun && !text.isWellFormed(),
  })
}

function actionProblems({ type, title, data, url }: Json): string[] {
  return broken({
    'an action of another type or without title': !['Action.Submit', 'Action.OpenUrl'].includes(type) || !title,
    'Submit without data': type === 'Action.Submit' && typeof data !== 'object',
    'OpenUrl without an address': type === 'Action.OpenUrl' && !URL.canParse(url),
  })
}

/** Returns the text that the card shows, line by line. */
export function adaptiveCardText({ body }: Json): string {
  return (body as Json[]).flatMap(({ type, text, inlines }) => type === 'TextBlock'
    ? [text as string]
    : type === 'RichTextBlock' ? [(inlines as Json[]).map(run => run.text as string).join('')] : []).join('\n')
}

export function adaptiveCardActions({ body, actions = [] }: Json): Json[] {
  return [
    ...(body as Json[]).flatMap(element => element.type === 'ActionSet' ? element.actions as Json[] : []),
    ...actions as Json[],
  ]
}
