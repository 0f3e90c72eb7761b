# The digest is that of all platforms together.
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# npm compiles the packages of this repository as it installs the others.
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
RUN npm ci --no-audit --no-fund
COPY . .
ARG NEXT_PUBLIC_BASE_PATH=""
ARG NEXT_PUBLIC_TUNNEL=""
ARG NEXT_DEPLOYMENT_ID=""
ARG SITE_ORIGIN=""
ARG SOURCE_MAPS=""
ARG SENTRY_ORG=""
ARG SENTRY_PROJECT=""
# Unset unless given: an empty one would be taken for an address.
ARG SENTRY_URL
# A secret, not an argument: arguments stay in the image's history. None need be given. Next's cache
# holds the source maps of the builds before this one.
RUN --mount=type=secret,id=SENTRY_AUTH_TOKEN \
    --mount=type=cache,id=signpost-next,target=/app/.next/cache,sharing=locked \
    SENTRY_AUTH_TOKEN="$(cat /run/secrets/SENTRY_AUTH_TOKEN 2>/dev/null)" npm run build
# With SOURCE_MAPS=off there are none.
RUN mkdir -p .next/source-maps

FROM ${NODE_IMAGE}
ARG NEXT_PUBLIC_BASE_PATH=""
ENV NODE_ENV=production \
    NEXT_TELEMETRY_DISABLED=1 \
    NEXT_PUBLIC_BASE_PATH=${NEXT_PUBLIC_BASE_PATH} \
    HOSTNAME=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
# Some platforms choose the user, of group 0.
RUN mkdir /data && chown node:0 /data && chmod 770 /data
# Owned by root: the server's user writes to /data only, so the rest may be read-only.
COPY --from=build /app/.next/standalone ./
COPY --from=build /app/public ./public
COPY --from=build /app/.next/static ./.next/static
COPY --from=build /app/.next/source-maps ./.next/source-maps
USER node
VOLUME /data
EXPOSE 3000
# The app drains by itself in less than 10 s, and exits with 0.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + (process.env.NEXT_PUBLIC_BASE_PATH || '') + '/api/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.js"]
