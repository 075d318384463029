/** This many attempts without an answer in a row, of any owner's, and a host is left alone for a while. */
export const SILENT_ATTEMPTS = 5;
export const LEFT_ALONE_MS = 30_000;

/** Hosts that are remembered; beyond that all are forgotten. */
const MAX_HOSTS = 10_000;

export type Hosts = ReturnType<typeof createHosts>;

/** Hosts that do not answer. Many webhooks may have one host: each would wait for it to the end of its time. */
export function createHosts(now: () => number = Date.now) {
  const silent = new Map<string, { attempts: number; until: number }>();
  return {
    /** Milliseconds until the host may be asked; 0: now. */
    waitFor: (host: string): number => Math.max(0, (silent.get(host)?.until ?? 0) - now()),
    /** `isSilent`: no answer came. Any status is an answer. */
    note: (host: string, { isSilent }: { isSilent: boolean }): void => {
      if (!isSilent) {
        silent.delete(host);
        return;
      }
      if (silent.size >= MAX_HOSTS) silent.clear();
      const attempts = (silent.get(host)?.attempts ?? 0) + 1;
      silent.set(host, { attempts, until: attempts < SILENT_ATTEMPTS ? 0 : now() + LEFT_ALONE_MS });
    },
  };
}
