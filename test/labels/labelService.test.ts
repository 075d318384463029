import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  createLabelService,
  type LabelService,
  MAX_HEALING_BYTES,
} from "../../src/api/names/labels/labelService.ts";
import { labelhash } from "../../src/ens/name.ts";

/* A misbehaving label service. The caller hashes what it says, so it can only withhold labels. */

const hash = labelhash("vitalik");
const set = { id: "searchlight", version: 1 };
const open: { server: Server; service: LabelService }[] = [];

afterEach(async () => {
  for (const { server, service } of open.splice(0)) {
    await service.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serviceThat(
  answer: RequestListener,
  more: { ownHosts?: string[] } = {},
): Promise<LabelService> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = createLabelService({ url, set, ownHosts: [], timeoutMs: 500, ...more });
  open.push({ server, service });
  return service;
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, reply) => {
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

test("a label is looked up by its hash, with label set and version", async () => {
  const asked: (string | undefined)[] = [];
  const service = await serviceThat((request, reply) => {
    asked.push(request.url);
    json(200, { status: "success", label: "vitalik" })(request, reply);
  });
  expect(await service.heal(hash)).toBe("vitalik");
  expect(asked).toEqual([`/v1/heal/${hash}?label_set_id=searchlight&label_set_version=1`]);
});

test("a label that the service does not have is null", async () => {
  const service = await serviceThat(json(404, { status: "error", error: "Label not found", errorCode: 404 }));
  expect(await service.heal(hash)).toBeNull();
});

test("another label set is a final refusal", async () => {
  const service = await serviceThat(json(400, { status: "error", error: "label set", errorCode: 400 }));
  await expect(service.heal(hash)).rejects.toMatchObject({ isFinal: true });
});

describe("an unusable answer", () => {
  test.each<[string, RequestListener]>([
    ["it is loading", json(503, { status: "error", error: "not ready", errorCode: 503 })],
    ["no JSON", (_, reply) => reply.end("<html>")],
    ["no label", json(200, { status: "success" })],
    ["a label that is no text", json(200, { status: "success", label: 7 })],
    ["an error with status 200", json(200, { status: "error", label: "x" })],
    ["it never answers", () => {}],
    ["it begins and never ends", (_, reply) => reply.writeHead(200).write('{"status":')],
    ["it redirects", (_, reply) => reply.writeHead(302, { location: "http://169.254.169.254/" }).end()],
    ["it floods", json(200, { status: "success", label: "x".repeat(MAX_HEALING_BYTES) })],
    ["it ends the connection", (request) => request.socket.destroy()],
  ])("%s", async (_, answer) => {
    const service = await serviceThat(answer);
    await expect(service.heal(hash)).rejects.toMatchObject({ name: "LabelServiceError", isFinal: false });
  });

  test("a private address and http elsewhere are not asked", async () => {
    for (const url of ["https://10.0.0.1", "http://labels.example"]) {
      const service = createLabelService({ url, set, ownHosts: [] });
      await expect(service.heal(hash)).rejects.toMatchObject({ name: "LabelServiceError" });
      await service.close();
    }
  });
});
