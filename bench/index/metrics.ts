/** One figure of Prometheus' text format. */
type Sample = { name: string; labels: Record<string, string>; value: number };

/** A process's own metrics. */
export type Metrics = {
  /** Sum of all figures of a name whose labels are those given. */
  sum: (name: string, labels?: Record<string, string>) => number;
  /** The sums by the value of one label. */
  by: (name: string, label: string) => Map<string, number>;
};

/** Reads the metrics of a running process. */
export async function readMetrics(url: string): Promise<Metrics> {
  const samples = parse(await (await fetch(url)).text());
  const named = (name: string) => samples.filter((sample) => sample.name === name);
  return {
    sum: (name, labels = {}) =>
      named(name)
        .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
    by: (name, label) => {
      const sums = new Map<string, number>();
      for (const { labels, value } of named(name)) {
        const key = labels[label] ?? "";
        sums.set(key, (sums.get(key) ?? 0) + value);
      }
      return sums;
    },
  };
}

function parse(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const match = /^([a-z_]+)(?:\{(.*)\})? ([\d.e+-]+)$/i.exec(line);
    if (match === null) return [];
    const [, name = "", words = "", value] = match;
    const labels = [...words.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, word]) => [key, word]);
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }];
  });
}
