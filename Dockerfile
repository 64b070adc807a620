# docker build -t tasuki .   —   compose.yaml runs it with PostgreSQL; config/README.md says more.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run -s build && mkdir /data

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The optional packages are Node itself. Maps and declarations are a third of the rest.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# No shell and no package manager. The tag nonroot is the user 65532.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
COPY config config
COPY core/cli/tasuki.js core/cli/tasuki.js
COPY core/cli/plugin-template core/cli/plugin-template
COPY --from=build --chown=65532:65532 /data /data
ENV HOST=0.0.0.0 \
    DATA_DIR=/data \
    LOG_FORMAT=json \
    NODE_COMPILE_CACHE=/data/compile-cache
USER 65532:65532
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/readyz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/app/core/cli/tasuki.js"]
