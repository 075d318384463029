import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/projectFiles.ts";

/** A rule of docs/deploy/alerts.yml. */
export type Alert = { name: string; expr: string };

export const alertsFile = join(root, "docs/deploy/alerts.yml");

/** All rules, as in their file. */
export const alerts: readonly Alert[] = [
  ...readFileSync(alertsFile, "utf8").matchAll(/- alert: (\w+)\n +expr: (.*)\n/g),
].map(([, name = "", expr = ""]) => ({ name, expr }));

type Sample = { name: string; labels: Record<string, string>; value: number };

/** Samples of a text in Prometheus' format. */
export const readSamples = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? ([-+\d.e]+|NaN)$/gim)].map(([, name = "", labels = "", value]) => ({
    name,
    value: Number(value),
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, word]) => [key, word])),
  }));

/** `max by (…) (metric{…}) == 1`, with or without anything around the metric. */
const simple = /^(?:(sum|max) by \([^)]*\) \()?(\w+)(?:\{(.*?)\})?\)? (==|>) ([\d.]+)$/;

/** The simple alerts that one process's samples would fire. Waiting periods (`for`) are ignored. */
export function firing(samples: readonly Sample[]): string[] {
  return alerts.filter(({ expr }) => fires(expr, samples)).map(({ name }) => name);
}

function fires(expr: string, samples: readonly Sample[]): boolean {
  const [, sum, metric, matchers = "", operator, bound] = simple.exec(expr) ?? [];
  if (metric === undefined) return false;
  const values = samples
    .filter(({ name, labels }) => name === metric && matches(labels, matchers))
    .map(({ value }) => value);
  if (values.length === 0) return false;
  const compared = sum === "sum" ? [values.reduce((all, value) => all + value, 0)] : values;
  return compared.some((value) => (operator === ">" ? value > Number(bound) : value === Number(bound)));
}

const matches = (labels: Record<string, string>, matchers: string): boolean =>
  [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].every(([, name = "", operator = "", text = ""]) => {
    const value = labels[name] ?? "";
    const isMatch = operator.endsWith("~") ? new RegExp(`^(?:${text})$`).test(value) : value === text;
    return operator.startsWith("!") ? !isMatch : isMatch;
  });
