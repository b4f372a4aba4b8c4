import { visible } from '../../../shared/utils/text'
import { MOST_BRANCHES, type Branch } from '../../ports/delivery'
import { isNumber } from '../json'
import { fieldText } from './field-text'

/** What stands in a list or an object, in reading order; undefined for a value that holds nothing. */
export function treeOf(value: unknown): readonly Branch[] | undefined {
  const branches: Branch[] = []
  grow(value, 0, branches)
  return branches.length > 0 ? branches : undefined
}

/** One more than an email holds is enough to know that there are more. */
function grow(value: unknown, depth: number, into: Branch[]): void {
  if (!isBranched(value)) return
  for (const [key, child] of Object.entries(value)) {
    if (into.length > MOST_BRANCHES) return
    const name = Array.isArray(value) ? `${Number(key) + 1}.` : `${visible(key.toWellFormed()) || '(no name)'}:`
    into.push({ depth, name, value: isBranched(child) ? '' : leafText(child) })
    grow(child, depth + 1, into)
  }
}

function isBranched(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value) && Object.keys(value).length > 0
}

function leafText(value: unknown): string {
  const isEmpty = value === '' || (typeof value === 'object' && value !== null && !isNumber(value))
  return isEmpty ? '—' : visible(fieldText(value))
}
