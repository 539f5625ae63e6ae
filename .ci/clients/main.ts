// Lists the sources of a daemon by a client that is generated from the OpenAPI document.
import createClient from "openapi-fetch";
import type { paths } from "./api/client";

export async function titles(base: string, token: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
  const { data, error } = await client.GET("/api/v1/sources", { params: { query: { limit: 10 } } });
  if (error) throw new Error(error.detail);
  return data.items.map((source) => source.about?.title ?? source.url);
}
