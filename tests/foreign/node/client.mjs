// Calls every method of PricingService as a user of Node would: node client.mjs ADDRESS PROTO_FOLDER.
import assert from "node:assert/strict";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [address, folder] = process.argv.slice(2);
const definition = loader.loadSync("pricing/baccarat/v1/pricing_service.proto", {
  includeDirs: [folder],
  keepCase: true,
  longs: String, // ways have up to 56 bits, more than a number of JavaScript holds exactly
  enums: String,
  oneofs: true,
});
const { PricingService } = grpc.loadPackageDefinition(definition).pricing.baccarat.v1;
const client = new PricingService(address, grpc.credentials.createInsecure());

const call = (method, request) =>
  new Promise((resolve, reject) =>
    client[method](request, { deadline: Date.now() + 10_000 }, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

const request = { game_type: "bet-on-baccarat", dealt: ["9S", "KD"], shoe: { removed: { cards: ["AS", "KD"] } } };

const price = await call("Price", request);
assert.equal(price.betting_round, 3);
assert.equal(price.bets.length, 9);
assert.match(price.total_ways, /^\d+$/);
const fresh = await call("Price", { game_type: "bet-on-baccarat" });
assert.equal(fresh.total_ways, "878869206895680");
assert.equal(fresh.bets.find((bet) => bet.bet === "tie").win_ways, "83552962932288");
assert.equal(fresh.bets[0].state, "OFFER_STATE_ACTIVE");

const batch = await call("BatchPrice", { ...request, coups: [{ dealt: ["9S", "KD"] }, { dealt: [] }] });
assert.deepEqual(batch.prices[0], price);
assert.equal(batch.prices[1].betting_round, 1);

const { game_types } = await call("ListGameTypes", {});
assert.deepEqual(game_types.map((game) => game.name), ["bet-on-baccarat", "punto-banco"]);

const answers = await new Promise((resolve, reject) => {
  const stream = client.StreamPrices();
  const received = [];
  stream.on("data", (answer) => received.push(answer));
  stream.on("error", reject);
  stream.on("end", () => resolve(received));
  stream.write({ correlation_id: "right", request });
  stream.write({ correlation_id: "wrong", request: { ...request, dealt: ["9S", "KX"] } });
  stream.write({ correlation_id: "right again", request });
  stream.end();
});
assert.deepEqual(answers.map((answer) => [answer.correlation_id, answer.outcome]), [
  ["right", "response"],
  ["wrong", "error"],
  ["right again", "response"],
]);
assert.deepEqual(answers[0].response, price);
assert.equal(answers[1].error.reason, "INVALID_CARD");
assert.equal(answers[1].error.field_violations[0].field, "dealt[1]");

await assert.rejects(call("Price", { game_type: "roulette" }), (error) => {
  assert.equal(error.code, grpc.status.INVALID_ARGUMENT);
  assert.ok(error.metadata.get("grpc-status-details-bin").length > 0);
  return true;
});
client.close();
console.log("every method answered");
