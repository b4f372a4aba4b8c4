# The build needs glibc: the npm package `node`, which pins the version for every npm script, has no musl binary.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
ENV NODE_ENV=production
RUN npm run build

# The output needs no other files and has no native code, so the smallest image of Node runs it.
FROM node:24-alpine
ENV NODE_ENV=production PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/.output .output
# Files of forms and of the agent, if neither S3 nor Vercel Blob is set up.
RUN install -d -o node -g node /data .output/server/cache
VOLUME /data
USER node
# Fills V8's compile cache: without settings the service exits at once. This Node and user cannot use the build stage's.
RUN node .output/server/index.mjs || true
EXPOSE 3000
# Liveness only: an orchestrator should not restart every replica because Redis is away.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", ".output/server/index.mjs"]
