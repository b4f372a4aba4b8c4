// What the tests need beyond npm: found on the PATH, or installed with apt where that works, or asked for in one line.
import { spawnSync } from 'node:child_process'

const TOOLS = [
  { commands: ['redis-server'], package: 'redis-server', about: 'the tests start their own Redis' },
  {
    // The first has no windows to draw, and takes a sixth less of the processor.
    commands: [
      process.env.CHROMIUM ?? '', 'chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome',
    ].filter(Boolean),
    package: 'chromium-headless-shell', about: 'the browser tests drive it (or set CHROMIUM to its path)',
  },
]

/** Paths of the tools by package name. Exits with what to install when one is missing and apt does not help. */
export function findTools() {
  const missing = TOOLS.filter(tool => !find(tool))
  if (missing.length > 0) installWithApt(missing.map(tool => tool.package))
  const absent = TOOLS.filter(tool => !find(tool))
  if (absent.length > 0) {
    console.error(`Install ${absent.map(tool => `${tool.package} (${tool.about})`).join(' and ')}, e.g.: sudo apt-get install ${absent.map(tool => tool.package).join(' ')}`)
    process.exit(1)
  }
  return Object.fromEntries(TOOLS.map(tool => [tool.package, find(tool)]))
}

function find({ commands }) {
  for (const command of commands) {
    const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
}

function installWithApt(packages) {
  const apt = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get']
  const run = (...args) => spawnSync(apt[0], [...apt.slice(1), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).status === 0
  console.log(`Installing ${packages.join(' and ')} with apt…`)
  if (run('update', '-qq')) run('install', '-y', '-qq', '--no-install-recommends', ...packages)
}
