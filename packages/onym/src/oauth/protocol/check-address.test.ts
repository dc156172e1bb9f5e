import { expect, it } from "vitest";
import { checkAddress } from "./check-address.js";

const PUBLIC = "https://mcp.example.com/mcp";
const INSIDE = "https://10.1.2.3/mcp";
const HERE = "http://127.0.0.1:3000/mcp";
const check = (address: unknown, server: string) => () => checkAddress(address, "The place", new URL(server));

it.each([
  ["https://login.example.org/x", PUBLIC],
  ["https://login.example.org/x", HERE],
  ["https://192.168.0.1/x", INSIDE],
  ["https://8.8.8.8/", PUBLIC],
  ["https://[2606:4700:4700::1111]/", PUBLIC],
  ["http://localhost:9/", HERE],
  ["http://[::1]:9/", HERE],
  ["https://localhost/", HERE],
])("takes %s from %s", (address, server) => {
  expect(check(address, server)().href).toBe(address);
});

it.each([
  [undefined, PUBLIC],
  [7, PUBLIC],
  ["", PUBLIC],
  ["/token", PUBLIC],
  ["http://login.example.org/", PUBLIC],
  ["http://login.example.org/", HERE],
  ["http://127.0.0.1.evil.example/", HERE],
  ["http://10.0.0.1/", HERE],
  ["ftp://login.example.org/", PUBLIC],
  ["javascript:alert(1)", HERE],
  ["https://user:secret@login.example.org/", PUBLIC],
  ["http://127.0.0.1/", PUBLIC],
  ["https://127.0.0.1/", PUBLIC],
  ["https://127.0.0.1/", INSIDE],
  ["https://0x7f.1/", PUBLIC],
  ["https://2130706433/", PUBLIC],
  ["https://localhost./", PUBLIC],
  ["https://x.localhost/", PUBLIC],
  ["https://169.254.169.254/latest/", PUBLIC],
  ["https://[::1]/", PUBLIC],
  ["https://[::ffff:10.0.0.1]/", PUBLIC],
  ["https://[fd00::1]/", PUBLIC],
  ["https://[fe80::1]/", PUBLIC],
  ["https://0.0.0.0/", PUBLIC],
  ["https://[64:ff9b::7f00:1]/", PUBLIC],
  ["https://[::127.0.0.1]/", PUBLIC],
  ["https://[::ffff:0:10.0.0.1]/", PUBLIC],
  ["https://[2002:a00:1::1]/", PUBLIC],
  ["https://[2001:0:a00:1::1]/", PUBLIC],
  ["https://[fec0::1]/", PUBLIC],
  ["https://[ff02::1]/", PUBLIC],
  ["https://192.88.99.1/", PUBLIC],
  ["https://198.18.0.1/", PUBLIC],
  ["https://255.255.255.255/", PUBLIC],
])("refuses %s from %s", (address, server) => {
  expect(check(address, server)).toThrow(/^The place/);
});
