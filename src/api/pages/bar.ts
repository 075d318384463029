/** The head of the pages on which requests can be tried: where the reader is, and what else there is. */
export const bar = (links: Record<string, string>): string =>
  `<header class="bar"><strong>Namedex</strong> ${Object.entries(links)
    .map(([text, href]) => `<a href="${href}">${text}</a>`)
    .join(" ")}</header>`;

export const barStyle = `
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: baseline; padding: 0.9rem 1.25rem;
  font: 15px/1.4 system-ui, sans-serif; background: #14213d; color: #fff; }
.bar strong { font-size: 1.1rem; margin-right: auto; }
.bar a { color: #cfe0ff; }
.bar a:focus-visible { outline: 2px solid #fff; outline-offset: 3px; }
@media (max-width: 640px) {
  .bar strong { flex-basis: 100%; }
}
`;
