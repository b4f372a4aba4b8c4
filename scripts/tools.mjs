// Finds the tools that tests need beyond npm: on the PATH, else installs them with apt, else asks for them in one line.
import { spawnSync } from 'node:child_process'

const TOOLS = [
  { commands: ['redis-server'], package: 'redis-server', about: 'the tests start their own Redis' },
  {
    // Prefer the headless shell: it draws no windows and uses a sixth less processor time.
    commands: [
      process.env.CHROMIUM ?? '', 'chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome',
    ].filter(Boolean),
    package: 'chromium-headless-shell', about: 'the browser tests drive it (or set CHROMIUM to its path)',
  },
]

/** Returns the tools' paths by package name. Exits with instructions if apt cannot install a missing one. */
export function findTools() {
  const missingTools = TOOLS.filter(tool => !findPath(tool))
  if (missingTools.length > 0) installWithApt(missingTools.map(tool => tool.package))
  const absentTools = TOOLS.filter(tool => !findPath(tool))
  if (absentTools.length > 0) {
    console.error(`Install ${absentTools.map(tool => `${tool.package} (${tool.about})`).join(' and ')}, e.g.: sudo apt-get install ${absentTools.map(tool => tool.package).join(' ')}`)
    process.exit(1)
  }
  return Object.fromEntries(TOOLS.map(tool => [tool.package, findPath(tool)]))
}

function findPath({ commands }) {
  for (const command of commands) {
    const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
}

function installWithApt(packages) {
  const aptCommand = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get']
  const runApt = (...args) => spawnSync(aptCommand[0], [...aptCommand.slice(1), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).status === 0
  console.log(`Installing ${packages.join(' and ')} with apt…`)
  if (runApt('update', '-qq')) runApt('install', '-y', '-qq', '--no-install-recommends', ...packages)
}
