// Most items of each list in a body, from the OpenAPI document. Written by `npm run client:generate`.

export const maxItems = {
  "post_whois_bulk": {
    "names": 500,
    "namehashes": 500
  },
  "post_price_bulk": {
    "names": 100
  },
  "post_lookup": {
    "inputs": 1000,
    "primary_names": 10,
    "relations": 8
  },
  "post_address_primary_names_bulk": {
    "addresses": 200
  }
} as const;
