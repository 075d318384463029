import { createServer } from "node:net";
import { SettingsError } from "../../settings/settings.ts";

/**
 * Ponder would take the next free port without a word, and requests to this one would reach another program.
 *
 * @throws SettingsError when the port cannot be used
 */
export function requireFreePort(
  port: number,
  { variable = "PORT", host }: { variable?: string; host?: string } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", ({ code }: NodeJS.ErrnoException) => {
      const remedy = `stop the program that uses it or choose another, for example ${variable}=${port + 1}`;
      reject(new SettingsError(`${variable} is ${port}, but that port cannot be used (${code}): ${remedy}`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
