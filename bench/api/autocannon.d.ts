declare module "autocannon" {
  type Request = { method?: "GET" | "POST"; path: string; headers?: Record<string, string>; body?: string };
  type Client = { setRequests: (requests: Request[]) => void };
  type Options = {
    url: string;
    connections: number;
    duration: number;
    setupClient: (client: Client) => void;
  };
  type Result = {
    duration: number;
    non2xx: number;
    errors: number;
    timeouts: number;
    requests: { total: number };
  };
  type Instance = Promise<Result> & {
    on: (
      event: "response",
      hear: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ) => Instance;
  };
  export default function autocannon(options: Options): Instance;
}
