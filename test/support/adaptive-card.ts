import { Buffer } from 'node:buffer'
import type * as AdaptiveCards from 'adaptivecards'
// @ts-expect-error The modules that the package names first need a bundler; its bundle has no types.
import bundle from 'adaptivecards/dist/adaptivecards.min.js'

// Adaptive Cards as received: JSON whose shape the validator checks.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>

const { AdaptiveCard, SerializationContext } = bundle as typeof AdaptiveCards

const MAX_BYTES = 40_000

/**
 * Elements of schema 1.5 that Teams shows, with their required and optional properties
 * (https://adaptivecards.io/explorer/)
 */
const ELEMENTS: Readonly<Record<string, { must: readonly string[], may: readonly string[] }>> = {
  'TextBlock': { must: ['text'], may: ['wrap'] },
  'RichTextBlock': { must: ['inlines'], may: [] },
  'Container': { must: ['items'], may: ['separator'] },
  'Image': { must: ['url', 'altText'], may: ['size'] },
  'ActionSet': { must: ['actions'], may: [] },
  'Input.Text': {
    must: ['id'],
    may: ['label', 'value', 'isMultiline', 'isRequired', 'errorMessage', 'maxLength', 'placeholder', 'style'],
  },
  'Input.Date': { must: ['id'], may: ['label', 'value', 'isRequired', 'errorMessage'] },
  'Input.Number': { must: ['id'], may: ['label', 'value', 'isRequired', 'errorMessage', 'min', 'max'] },
  'Input.ChoiceSet': { must: ['id', 'choices'], may: ['label', 'value', 'isRequired', 'errorMessage', 'style'] },
}

/** Returns the reasons why Teams would refuse the card, or show only part of it. */
export function adaptiveCardProblems(card: Json): string[] {
  const inputs = (card.body as Json[]).filter(({ type }) => type.startsWith('Input.')).map(({ id }) => id as string)
  return [
    ...card.type === 'AdaptiveCard' && /^1\.[0-5]$/.test(card.version)
      ? []
      : ['It is no Adaptive Card of a version that Teams knows.'],
    ...Buffer.byteLength(JSON.stringify(card)) > MAX_BYTES ? [`It has more than ${MAX_BYTES} bytes.`] : [],
    ...new Set(inputs).size === inputs.length ? [] : ['Two inputs have one id.'],
    ...(card.body as Json[]).flatMap(elementProblems),
    ...(card.actions as Json[] | undefined ?? []).flatMap(actionProblems), ...undescribed(card),
  ]
}

/** Returns what Microsoft's own parser does not understand or drops. */
export function undescribed(json: Json): string[] {
  const card = new AdaptiveCard()
  const context = new SerializationContext()
  card.parse(json, context)
  const events = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index))
  return [...events, ...card.validateProperties().validationEvents].map(({ message }) => message)
}

function elementProblems(element: Json): string[] {
  const known = ELEMENTS[element.type]
  if (!known) return [`Unknown element ${element.type}.`]
  const { type, ...properties } = element
  return [
    ...known.must.filter(name => properties[name] === undefined).map(name => `${type} without ${name}.`),
    ...Object.keys(properties).filter(name => (
      ![...known.must, ...known.may].includes(name)
    )).map(name => `${type} with ${name}.`),
    ...type === 'RichTextBlock' ? (element.inlines as Json[]).flatMap(runProblems) : [],
    ...type === 'ActionSet' ? (element.actions as Json[]).flatMap(actionProblems) : [],
    ...type === 'ActionSet' && (element.actions.length < 1 || element.actions.length > 6)
      ? ['Teams shows 1 to 6 actions.']
      : [],
    ...type === 'Input.Text' && element.maxLength && element.value?.length > element.maxLength
      ? [`${element.id} holds more than it may.`]
      : [],
  ]
}

const MOMENT = /\{\{DATE\(([\dT:-]+Z), SHORT\)\}\} (?=\{\{TIME\(\1\))|\{\{TIME\([\dT:-]+Z\)\}\}/g

function runProblems({ type, text, ...look }: Json): string[] {
  return [
    ...type === 'TextRun' && typeof text === 'string' ? [] : ['Not a run of text.'],
    // Notes may contain times for the client to format, form texts must not.
    .../\{\{(?:DATE|TIME)\(/i.test(look.isSubtle ? text.replace(MOMENT, '') : text)
      ? ['A run that the client would evaluate.']
      : [],
    ...text.isWellFormed() ? [] : ['Text that is not well-formed.'],
    ...Object.keys(look).filter(name => ![
      'weight', 'size', 'color', 'isSubtle',
    ].includes(name)).map(name => `TextRun with ${name}.`),
  ]
}

function actionProblems({ type, title, style, data, url }: Json): string[] {
  return [
    ...['Action.Submit', 'Action.OpenUrl'].includes(type) && title ? [] : ['Not an action with a title.'],
    ...style && !['positive', 'destructive', 'default'].includes(style) ? [`Unknown style ${style}.`] : [],
    ...type === 'Action.Submit' && typeof data !== 'object' ? ['Submit without data.'] : [],
    ...type === 'Action.OpenUrl' && !URL.canParse(url) ? ['OpenUrl without an address.'] : [],
  ]
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
