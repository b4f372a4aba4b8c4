/** How the server answers a request for a page, whose shell is the same at every address. */
export interface PageAnswer {
  status: number
  allow?: string
}

/** @param paths of all pages as the router of Vue writes them, such as `/submissions/:id()` */
export function createPageRoutes(paths: readonly string[]): (method: string, path: string) => PageAnswer {
  const page = new RegExp(`^(?:${paths.map(path => path.replaceAll(/:\w+(\(\))?/g, '[^/]+')).join('|')})/?$`, 'i')
  return (method, path) => {
    if (!page.test(path.replace(/[?#].*$/s, ''))) return { status: 404 }
    return method === 'GET' || method === 'HEAD' ? { status: 200 } : { status: 405, allow: 'GET, HEAD' }
  }
}
