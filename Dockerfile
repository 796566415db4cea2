FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/precis/package.json packages/precis/
COPY packages/gateway/package.json packages/gateway/
COPY packages/eval/package.json packages/eval/
COPY web/package.json web/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional --omit=peer --ignore-scripts

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production PRECIS_DB=/data/precis.db
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
USER node
VOLUME /data
EXPOSE 8787
# Long requests are garbage soon: a small young heap lets the collector find them in small steps.
ENTRYPOINT ["node", "--max-semi-space-size=16", "packages/gateway/bin/precis.js", "serve"]
CMD ["--host", "0.0.0.0"]
