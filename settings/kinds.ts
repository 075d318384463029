import { z } from "zod";
import type { Kind } from "./variable.ts";

/** Whether a text is a URL of one of the protocols. */
const isUrl = (protocols: string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

const isHttpUrl = isUrl(["http:", "https:"]);

type Range = { from: number; to: number; unit?: string };

const wordsFor = ({ from, to, unit }: Range): string =>
  `a whole number${unit === undefined ? "" : ` of ${unit}`} from ${from} to ${to}`;

/** Takes digits only: `1e1`, ` 2` and `0x3` are typing errors. */
export const digits = (range: Range): Kind<number> => ({
  shape: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(range.from).max(range.to)),
  expected: wordsFor(range),
});

/** Takes every spelling of a whole number that JavaScript knows. New settings take `digits`. */
export const wholeNumber = (range: Range): Kind<number> => ({
  shape: z.coerce.number().int().min(range.from).max(range.to) as unknown as z.ZodType<number>,
  expected: wordsFor(range),
});

export const port: Kind<number> = {
  ...wholeNumber({ from: 1, to: 65_535 }),
  expected: "a port from 1 to 65535",
};

/** A number of seconds, or `off`. */
export const secondsOrOff = (to: number): Kind<number | "off"> => {
  const seconds = digits({ from: 1, to, unit: "seconds" });
  return { shape: z.union([z.literal("off"), seconds.shape]), expected: `${seconds.expected}, or off` };
};

const secondsOf = { s: 1, m: 60, h: 3_600 } as const;

/** A time, or `off`: a number of seconds, or a number and its unit (`90m`, `24h`). */
export const timeOrOff = ({ from, to }: { from: number; to: number }): Kind<number | "off"> => ({
  expected: `off, or a duration from ${from} to ${to} seconds, such as 3600, 90m or 24h`,
  shape: z.union([
    z.literal("off"),
    z
      .string()
      .regex(/^\d+[smh]?$/)
      .transform((text) => {
        const unit = /[smh]$/.exec(text)?.[0] as keyof typeof secondsOf | undefined;
        return Number.parseInt(text, 10) * secondsOf[unit ?? "s"];
      })
      .pipe(z.number().min(from).max(to)),
  ]),
});

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(
  ...words: Words
): Kind<Words[number]> => ({
  shape: z.enum(words) as unknown as z.ZodType<Words[number]>,
  expected: `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
});

export const onOrOff = oneOf("on", "off");

export const text = (expected: string, shape: z.ZodType<string> = z.string()): Kind<string> => ({
  shape,
  expected,
});

export const httpUrl = (expected: string): Kind<string> => text(expected, z.string().refine(isHttpUrl));

/** A URL, or `off`. */
export const httpUrlOrOff: Kind<string> = text(
  "an http(s) URL, or off",
  z.string().refine((given) => given === "off" || isHttpUrl(given)),
);

const isPostgresUrl = isUrl(["postgres:", "postgresql:"]);

export const postgresUrl: Kind<string> = text("a PostgreSQL URL", z.string().refine(isPostgresUrl));

/** Comma-separated URLs; a message names the first that is wrong. */
const urlList = (expected: string, isRight: (url: string) => boolean): Kind<string[]> => ({
  expected,
  shape: z.string().transform((list, context) => {
    const urls = [...new Set(list.split(",").map((url) => url.trim()))];
    const wrongItem = urls.find((url) => !isRight(url));
    if (wrongItem === undefined) return urls;
    context.addIssue({ code: "custom", params: { wrongItem } });
    return z.NEVER;
  }),
});

export const postgresUrls: Kind<string[]> = urlList(
  "comma-separated PostgreSQL URLs (write a comma in a password as %2C)",
  isPostgresUrl,
);

/** Comma-separated URLs. `isRight` narrows which. */
export const httpUrls = (
  expected = "comma-separated http(s) URLs",
  isRight: (url: URL) => boolean = () => true,
): Kind<string[]> => urlList(expected, (url) => isHttpUrl(url) && isRight(new URL(url)));

/** Comma-separated URLs, or `off`. */
export const httpUrlsOrOff: Kind<string[] | "off"> = {
  expected: "comma-separated http(s) URLs, or off",
  shape: z.string().transform((text, context) => {
    if (text === "off") return text;
    const urls = httpUrls().shape.safeParse(text);
    if (urls.success) return urls.data;
    for (const issue of urls.error.issues)
      context.addIssue({ ...issue } as Parameters<typeof context.addIssue>[0]);
    return z.NEVER;
  }),
};
