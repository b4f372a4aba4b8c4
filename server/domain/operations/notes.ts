import type { Work } from '../../ports/submission'
import { wayOf } from '../submission/record'

/** Name of the note about a platform's answer to our credentials. */
export function credentialsNote(platform: string): string {
  return `${platform}:credentials`
}

/** Name of the note about cards that are in a room already: edits, and replies below them. */
export function editsNote(room: string): string {
  return `${room}:edits`
}

/**
 * Name of the note that an attempt belongs to. New cards of a room have one of their own, named like the room: neither
 * credentials, nor edits, nor another room tell whether they arrive.
 */
export function noteOf({ kind, room, card }: Pick<Work, 'kind' | 'room' | 'card'>): string {
  const place = room ?? card?.platform
  if (place === undefined) return wayOf(kind)
  return kind === 'post' ? place : editsNote(place)
}
