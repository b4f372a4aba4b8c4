import type { Installation, Installations } from '../../ports/installations'
import { JsonFolder } from './files'

/** Keeps installations as files, for one process without Redis. Survives a restart. */
export class EmbeddedInstallations extends JsonFolder implements Installations {
  private readonly installations = new Map<string, Installation>()

  async find(app: string): Promise<Installation | null> {
    await this.loaded()
    return this.installations.get(app) ?? null
  }

  async learn(app: string, installation: Installation): Promise<Installation> {
    await this.loaded()
    const existing = this.installations.get(app)
    if (existing && existing.within !== installation.within) return existing
    this.installations.set(app, installation)
    await this.inTurn(app, () => this.files.setItemRaw(app, JSON.stringify(installation)))
    return installation
  }

  async forget(app: string, within: string): Promise<boolean> {
    await this.loaded()
    if (this.installations.get(app)?.within !== within) return false
    this.installations.delete(app)
    await this.inTurn(app, () => this.files.removeItem(app))
    return true
  }

  protected restore(app: string, text: string): void {
    this.installations.set(app, JSON.parse(text) as Installation)
  }
}
