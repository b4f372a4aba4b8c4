import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface Copy {
  /** Name of the source stage; undefined for the build context */
  from?: string
  sources: string[]
  target: string
}

export interface Stage {
  image: string
  name?: string
  copies: Copy[]
  env: Record<string, string>
  /** Labels, with the defaults of the arguments in them */
  labels: Record<string, string>
  /** Arguments, by default value */
  args: Record<string, string>
  workdir?: string
  /** Commands run while the image is built */
  runs: string[]
  /** In exec form, without a shell */
  command?: string[]
  healthcheck?: string[]
}

/** Parses the stages of our `Dockerfile`; throws at an unknown instruction. */
export function readDockerfile(): Stage[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../Dockerfile'), 'utf8')
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '').split('\n').filter(Boolean)
  const stages: Stage[] = []
  for (const line of lines) {
    const [, instruction, rest] = /^([A-Z]+) (.+)$/.exec(line)!
    if (instruction === 'FROM') {
      const [image, , name] = rest!.split(' ')
      stages.push({ image: image!, name, copies: [], env: {}, labels: {}, args: {}, runs: [] })
    }
    else {
      read(stages.at(-1)!, instruction!, rest!)
    }
  }
  return stages
}

function read(stage: Stage, instruction: string, rest: string): void {
  switch (instruction) {
    case 'COPY': return void stage.copies.push(copyOf(rest))
    case 'ENV': return void Object.assign(stage.env, Object.fromEntries(rest.split(' ').map(pair => pair.split('='))))
    case 'ARG': return void Object.assign(stage.args, Object.fromEntries([rest.split('=')]))
    case 'LABEL': return void Object.assign(stage.labels, Object.fromEntries(rest.split(' ').map((pair) => {
      const [name, value = ''] = pair.split('=')
      return [name, stage.args[value.slice(1)] ?? value]
    })))
    case 'WORKDIR': return void (stage.workdir = rest)
    case 'CMD': return void (stage.command = JSON.parse(rest) as string[])
    case 'HEALTHCHECK': return void (stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) as string[])
    case 'RUN': return void stage.runs.push(rest)
    case 'EXPOSE': case 'USER': case 'VOLUME': return
    default: throw new Error(`What does ${instruction} do in the Dockerfile?`)
  }
}

function copyOf(rest: string): Copy {
  const words = rest.split(' ')
  const from = words[0]?.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined
  return { from, sources: words.slice(0, -1), target: words.at(-1)! }
}
