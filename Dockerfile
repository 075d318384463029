# docker build -t namedex . && docker run --rm --env-file .env -p 42069:42069 namedex
FROM node:24-bookworm-slim

WORKDIR /app
COPY --chown=node:node package.json package-lock.json ./
COPY --chown=node:node docs/deploy ./docs/deploy
COPY --chown=node:node client/package.json ./client/package.json
COPY --chown=node:node patches ./patches
RUN ./docs/deploy/install.sh && npm cache clean --force
COPY --chown=node:node . .

# Ponder writes ponder-env.d.ts and generated/ beside the program.
RUN chown node:node /app
USER node
ENV NODE_ENV=production PORT=42069
EXPOSE 42069

# Ponder releases its lock after SIGINT only.
STOPSIGNAL SIGINT
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["./docs/deploy/health.sh"]
ENTRYPOINT ["./docs/deploy/run.sh"]
CMD ["start"]
