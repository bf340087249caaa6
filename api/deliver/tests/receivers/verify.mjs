// Verifies the signature of a webhook request, from the specification's text alone.
//
// Arguments: the signing secret, the value of X-Service-Timestamp, the value of X-Service-Signature. Standard input:
// the raw body. Exit status 0 when the request is genuine, 1 when it is not.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

function isGenuine(secret, timestamp, signature, body) {
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  const expected = Buffer.from(`t=${timestamp},v1=${digest}`);
  const received = Buffer.from(signature);
  return expected.length === received.length && timingSafeEqual(expected, received);
}

const [secret, timestamp, signature] = process.argv.slice(2);
process.exit(isGenuine(secret, timestamp, signature, readFileSync(0)) ? 0 : 1);
