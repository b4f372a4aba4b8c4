# Digests name exactly these images, for every architecture that they have; Dependabot renews them.
# The build needs glibc: the npm package `node`, which pins the version for every npm script, has no musl binary.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
ENV NODE_ENV=production
RUN npm run build

# The output needs no other files and has no native code, so the smallest image of Node runs it.
FROM node:24.21.0-alpine@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1
ENV NODE_ENV=production PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/.output .output
# The store in a file; files of forms and of the agent, if neither S3 nor Vercel Blob is set up.
RUN install -d -o node -g node /data .output/server/cache
VOLUME /data
USER node
# Starts the service once as a try-out, without settings or a vendor: what cannot start here becomes no image. It also
# fills V8's compile cache, because this Node and user cannot use the build stage's.
RUN export NODE_ENV=development HOST=127.0.0.1 DATA_DIR=/tmp/start \
  && { node .output/server/index.mjs & } \
  && until node -e "fetch('http://127.0.0.1:$PORT/api/health').catch(() => process.exit(1))"; \
    do kill -0 $! || exit 1; done \
  && kill $! && wait $! && rm -rf /tmp/start
EXPOSE 3000
# Liveness only: an orchestrator should not restart every replica because Redis is away.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", ".output/server/index.mjs"]
# Last, so that another commit changes only these: `--build-arg REVISION=$(git rev-parse HEAD)`, and SOURCE, the URL of
# the repository. The workflow that publishes images sets both.
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title=form-triage-bot org.opencontainers.image.licenses=MIT \
  org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION \
  org.opencontainers.image.source=$SOURCE
