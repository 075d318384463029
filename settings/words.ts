import { z } from "zod";
import { redact, SettingsError } from "./fault.ts";

/** Whether a text is a URL of one of the protocols. */
export const isUrl = (protocols: string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

/** Digits only: `1e1`, ` 2` and `0x3` are typing errors here. */
export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));

export const onOrOff = z.enum(["on", "off"]);

/** Reads http(s) URLs, comma-separated. */
export function readUrls(name: string, value: string, example = "https://rpc.example.org"): string[] {
  const urls = value.split(",").map((url) => url.trim());
  const wrong = urls.find((url) => !isUrl(["http:", "https:"])(url));
  if (wrong !== undefined) {
    throw new SettingsError(
      `${name} has "${redact(wrong)}": expected http(s) URLs, comma-separated, for example ${name}=${example}`,
    );
  }
  return urls;
}
