import { z } from 'zod'

const UNITS = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Bytes, from `10 MB`. */
const size = z.string('is no size such as 10 MB').regex(
  /^\d{1,6}(?:\.\d{1,3})? ?(?:KB|MB|GB)$/, 'is no size such as 10 MB',
).transform(text => Math.floor(Number.parseFloat(text) * UNITS[text.slice(-2) as keyof typeof UNITS])).refine(
  bytes => bytes > 0 && bytes <= UNITS.GB, 'is not between 1 KB and 1 GB',
)

/** Files that a form takes; each setting may be left out. */
export const fileRule = z.strictObject({
  /** Most files of one submission. */
  max: z.int('is no whole number').min(1, 'is less than 1').max(20, 'is more than 20').default(5),
  /** Largest file. */
  maxBytes: size.default(10 * UNITS.MB),
  /** What they may be by their content. */
  types: z.array(z.string().regex(
    /^[a-z]+\/(?:\*|[\w.+-]+)$/, 'is no media type such as application/pdf or image/*',
  )).min(1, 'lists nothing').default(['image/*', 'application/pdf']),
  /** Whether cards show small pictures while they wait; chat platforms keep copies of what they show. */
  show: z.boolean('is neither true nor false').optional(),
})
